"""The page names the elements that the rows of a batch are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from tests.e2e.page.recorded import record

PROGRAM = """\
import tensorflow as tf
from tensordbg.tensorflow import trace_data

@tf.function
def step(features):
    return tf.reduce_sum(tf.math.log(features))

numbers = trace_data(tf.data.Dataset.range(6)).map(lambda n: 4.0 - tf.cast(n, tf.float32))
for batch in numbers.batch(3):
    step(batch)
"""


def test_the_chosen_event_names_where_its_rows_came_from(page: Any, tmp_path: Path, serve: Any) -> None:
    program = tmp_path / "train.py"
    program.write_text(PROGRAM)
    record(tmp_path / "trace", str(program))
    page.goto(f"{serve(tmp_path / 'trace')}#search=name:features")
    page.locator("[role=row]", has_text="features:0").last.click()
    facts = page.get_by_role("region", name="Facts")
    expect(facts.locator("dt", has_text="Came from")).to_have_count(1)
    assert facts.locator(".event-rows li").all_inner_texts() == ["element 3", "element 4", "element 5"]
