"""A trace of each version of the format is kept, and read as it always was: all of them tell the same training.

Those of formats 3, 4 and 5 were recorded by their versions (paths are shortened since); 1 and 2 are 3 without the
columns that came later. The program is in the table of sources.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tensordbg
from tensordbg.analysis.program.description import read_program
from tensordbg.trace.reader import open_trace
from tensordbg.trace.schema import FORMAT_VERSION

GOLDEN = Path(__file__).parent / "golden"
VERSIONS = range(1, FORMAT_VERSION + 1)


def test_each_version_has_one() -> None:
    assert sorted(each.name for each in GOLDEN.iterdir() if each.is_dir()) == [f"format-{each}" for each in VERSIONS]


@pytest.mark.parametrize("version", VERSIONS)
def test_why_answers_the_same(version: int) -> None:
    result = tensordbg.open(GOLDEN / f"format-{version}").why()
    origin = result.origins[0]
    assert (result.tensor_events, result.non_finite_events, len(result.origins)) == (94, 50, 1)
    assert (origin.view.tensor, origin.cause) == ("Log:0", "log_of_zero")
    assert origin.source is not None
    assert origin.source.text.strip().startswith("loss = -tf.reduce_mean")
    assert "tf.nn.softmax_cross_entropy_with_logits" in origin.suggestion
    assert origin.reaches == ("loss", "gradient", "variable", "output")
    assert [(each.tensor, each.relation) for each in origin.also] == [("gradient_tape/Reciprocal:0", "gradient")]


@pytest.mark.parametrize("version", VERSIONS)
def test_each_site_tells_its_framework_and_whether_it_is_of_the_backward_pass(version: int) -> None:
    sites = read_program(open_trace(GOLDEN / f"format-{version}")).sites.values()
    backward = {site.name for site in sites if site.backward}
    assert {site.framework for site in sites} == {"tensorflow"}
    assert {site.backward for site in sites} == {False, True}
    assert backward == {site.name for site in sites if site.name.startswith("gradient_tape/")} | {"ones"}


@pytest.mark.parametrize("version", VERSIONS)
def test_the_elements_of_small_tensors_are_there_since_format_5(version: int) -> None:
    table = tensordbg.open(GOLDEN / f"format-{version}").table("tensors")
    assert table.column("sum_abs").null_count == table.column("sketch").null_count == len(table)
    first = table.column("elements").to_pylist()[0]
    assert first == (None if version < 5 else np.array([1.0, -1.0, 0.5, -0.5], np.float32).tobytes())
