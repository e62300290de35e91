"""The elements of a tensor over steps and turns: in the program's order, as one array where that is possible."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tensordbg
from tensordbg.analysis.tensors.elements import elements_of, kept_points, narrowed, shortened, stacked
from tensordbg.analysis.tensors.show import history_of
from tensordbg.errors import UsageError
from tensordbg.model import Detail
from tensordbg.trace.reader import TraceReader, open_trace
from tensordbg.trace.sealed.seal import seal_all
from tests.trace.builder import Tensor, TraceBuilder, kept, small_program

TURNS = (0, 2, 1)
"""As they were recorded: turns of a loop may overtake each other."""


def value(step: int, turn: int) -> np.ndarray:
    return np.full((2, 2), step * 10 + turn, np.float32)


def loop(folder: Path) -> TraceBuilder:
    """Three steps of a loop of three turns around `Log`; the last step's turn 2 was not kept. An eager `Add` grows."""
    build = TraceBuilder(folder)
    build.describe(small_program())
    for step in range(3):
        call = build.begin(5, 0, step)
        for turn in TURNS:
            tensor = kept(value(step, turn), frame=77 + step, iteration=turn)
            if (step, turn) == (2, 2):
                tensor = replace(tensor, elements=None)
            build.graph_tensor(50 + step, 1, tensor)
        build.graph_tensor(50 + step, 0, Tensor())
        build.end(call)
        add = build.begin(6, step=step)
        build.eager_tensor(add, 6, kept(np.arange(step, dtype=np.int64)))
    return build


@pytest.fixture(params=["raw", "sealed"])
def reader(tmp_path: Path, request: pytest.FixtureRequest) -> TraceReader:
    trace = loop(tmp_path / "trace").finish()
    if request.param == "sealed":
        seal_all(trace)
    return open_trace(trace)


def test_turns_are_in_the_order_of_the_program(reader: TraceReader) -> None:
    points = kept_points(reader, history_of(reader, "Log"))
    places = [(each.point.step, each.point.iteration) for each in points]
    assert places == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1)]
    for each, (step, turn) in zip(points, places, strict=True):
        assert np.array_equal(elements_of(reader, each), value(step, turn or 0))


def test_whole_history_is_one_array(reader: TraceReader) -> None:
    tensor = tensordbg.open(reader.path).tensor("Log:0")
    values = tensor.values()
    assert (values.shape, values.dtype) == ((8, 2, 2), np.float32)
    assert values[:, 0, 0].tolist() == [0, 1, 2, 10, 11, 12, 20, 21]
    assert tensor.values(1)[:, 0, 0].tolist() == [10, 11, 12]
    assert tensor.values((1, None), 1)[:, 0, 0].tolist() == [11, 21]
    assert tensor.values(iteration=2)[:, 0, 0].tolist() == [2, 12]


def test_shapes_that_differ_make_objects(reader: TraceReader) -> None:
    values = tensordbg.open(reader.path).tensor("Add").values()
    assert (values.shape, values.dtype) == ((3,), object)
    assert [each.tolist() for each in values] == [[], [0], [0, 1]]


def test_dtypes_that_differ_make_objects() -> None:
    assert stacked([np.zeros(2, np.float32), np.zeros(2, np.float64)]).dtype == object


def test_narrowed(reader: TraceReader) -> None:
    history = narrowed(history_of(reader, "Log"), (1, 1), None)
    assert [(point.step, point.iteration) for point in history.points] == [(1, turn) for turn in TURNS]
    assert (history.total, history.skipped) == (3, 0)
    with pytest.raises(UsageError, match="no event of 'Log:0' there; it has steps 0 to 2 and iterations 0 to 2"):
        narrowed(history_of(reader, "Log"), (7, None), None)
    with pytest.raises(UsageError, match=r"no event of 'Add:0' there; it has steps 0 to 2$"):
        narrowed(history_of(reader, "Add"), (None, None), 0)


@pytest.mark.parametrize("limit", [0, 1, 2, 5, 8, 9, 50])
def test_shortened_as_the_history_itself(reader: TraceReader, sample_reader: TraceReader, limit: int) -> None:
    for source, name in [(reader, "Log"), (sample_reader, "Log")]:
        expected = history_of(source, name, limit=limit)
        found = shortened(history_of(source, name), limit)
        assert (found.points, found.skipped, found.total) == (expected.points, expected.skipped, expected.total)


def test_what_was_not_kept_says_why(reader: TraceReader, monkeypatch: pytest.MonkeyPatch) -> None:
    history = history_of(reader, "x")
    with pytest.raises(
        UsageError, match="of 'x:0' were not kept: the trace has detail 'health', which keeps those of the first bad"
    ):
        kept_points(reader, history)
    keeping = replace(reader.metadata, detail=Detail.VALUES)
    monkeypatch.setattr(TraceReader, "metadata", keeping)
    with pytest.raises(UsageError, match="no option chose them, or the budget was used up; see --values-of"):
        kept_points(reader, history)
