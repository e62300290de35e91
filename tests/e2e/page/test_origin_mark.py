"""Where the trouble began has a mark of its own in every panel, apart from what it spread to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.page.recorded import record, shared

PROGRAM = """\
import tensorflow as tf

weight = tf.Variable([0.0, 1.0])


@tf.function
def step():
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.math.log(weight))
    return loss, tape.gradient(loss, weight)


step()
"""


@pytest.fixture(scope="session")
def gradient_link(tmp_path_factory: pytest.TempPathFactory, serve: Any) -> str:
    """The page of a program whose gradient divides by the zero whose logarithm it took before."""

    def make(folder: Path) -> None:
        program = folder.parent / "with_gradient.py"
        program.write_text(PROGRAM)
        record(folder, str(program))

    return serve(shared(tmp_path_factory, "with-gradient", make))


def test_table_strip_margin_and_graph(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    row = page.locator("[role=row][aria-selected=true]")
    expect(row).to_contain_text("Log:0")
    expect(row.locator(".cell-mark")).to_have_attribute("title", "chosen, origin, not finite")
    expect(row.locator(".cell-mark")).to_contain_text("◆")
    expect(page.locator(".events-row.row-origin")).to_have_count(1)
    expect(page.locator(".timeline-cell-origin")).to_have_text("◆")
    margin = page.locator(".margin-mark.origin")
    expect(margin).to_have_count(1)
    expect(margin).to_contain_text("◆ ")
    page.get_by_role("tab", name="Graph").click()
    expect(page.locator(".graph-node-origin")).to_have_count(1)


def test_a_gradient_of_the_same_mistake_has_no_mark_of_its_own(page: Any, gradient_link: str) -> None:
    page.goto(gradient_link)
    expect(page.locator(".finding-head")).to_have_count(1)
    page.locator(".finding-head", has_text="Log made").wait_for()
    origin = page.locator(".timeline-cell-origin")
    expect(origin).to_have_text("◆")
    expect(origin).to_have_attribute("aria-label", "Log:0 (Log), -inf, origin")
    expect(page.locator(".timeline-cell-bad[aria-label*=Reciprocal]")).to_have_text("!")
