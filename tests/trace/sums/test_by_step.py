"""Sums for each step of a trace."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

import numpy as np
import pytest

from tensordbg.model import DIFFERENTIATED
from tensordbg.trace.sums.by_step import COLUMNS, KINDS, MOST, NO_SIZE, OCTAVE, StepEvents, StepSums, size_of
from tests.analysis.builder import TraceBuilder, nan


def events(rows: Sequence[tuple[int, int, int]]) -> StepEvents:
    """Values of layers, given by step, number and size; those without a size are bad."""
    step, event, size = np.array(rows, dtype=np.int64).T
    bad = size == NO_SIZE
    return StepEvents(step, event, np.full(len(step), KINDS.index("values")), size, np.ones_like(bad), bad)


def columns(sums: StepSums, *names: str) -> list[list[int]]:
    return [list(sums.columns[name]) for name in names]


def test_each_step_has_its_own() -> None:
    sums = StepSums().with_events(events([(0, 0, 10), (2, 1, NO_SIZE), (0, 2, 30), (-1, 3, 5)]))
    assert columns(sums, "events", "bad", "values_tensors", "values_size") == [
        [2, 0, 1],
        [0, 0, 1],
        [2, 0, 0],
        [40, 0, 0],
    ]
    assert columns(sums, "first_event", "first_bad") == [[0, -1, 1], [-1, -1, 1]]


def test_it_does_not_matter_how_many_come_at_once_nor_in_which_order() -> None:
    rows = [(step, number, 7 * number) for number, step in enumerate((5, 3, MOST + 9, 0, 5, 1000))]
    whole = StepSums().with_events(events(rows))
    parted = StepSums().with_events(events(rows[4:])).with_events(events(rows[:4]))
    assert whole == parted
    assert whole.stride == 4


def test_of_many_steps_each_entry_stands_for_several() -> None:
    number = 10 * MOST
    sums = StepSums().with_events(events([(step, step, 1) for step in range(number)]))
    assert (len(sums), sums.stride) == (number // 16, 16)
    assert columns(sums, "events", "first_event") == [[16] * len(sums), [16 * k for k in range(len(sums))]]


def test_entries_are_put_together_as_far_as_one_likes() -> None:
    sums = StepSums().with_events(events([(0, 4, 1), (1, 2, NO_SIZE), (4, 9, 3)]))
    coarse = sums.arrays(2, 4)
    assert coarse["events"].tolist() == [2, 0, 1, 0]
    assert coarse["first_event"].tolist() == [2, -1, 9, -1]
    assert coarse["first_bad"].tolist() == [2, -1, -1, -1]


def test_sizes_are_logarithms_and_what_has_none_has_none() -> None:
    squares = np.array([8.0, 0.0, math.nan, math.inf, 2.0])
    found = size_of(squares, np.array([2, 2, 2, 2, 0]))
    assert found.tolist() == [OCTAVE, NO_SIZE, NO_SIZE, NO_SIZE, NO_SIZE]


def test_kinds_are_told_apart() -> None:
    trace = TraceBuilder()
    weight = trace.variable("w", "[2]", trainable=True)
    trace.eager("ReadVariableOp", reads=[weight], values=[2.0, 2.0])
    trace.eager("Mul", values=[4.0, 4.0])
    trace.eager("Mean", values=8.0, attributes=json.dumps({DIFFERENTIATED: [0]}))
    trace.eager("MulGrad", values=[16.0], backward=True)
    trace.eager("Log", values=[nan, 1.0])
    sums = trace.step_sums()
    found = {kind: columns(sums, f"{kind}_tensors", f"{kind}_size") for kind in KINDS}
    assert found == {
        "weights": [[1], [OCTAVE]],
        "values": [[1], [2 * OCTAVE]],
        "loss": [[1], [3 * OCTAVE]],
        "gradients": [[1], [4 * OCTAVE]],
    }
    assert columns(sums, "events", "measured", "bad") == [[5], [5], [1]]


def test_to_json_and_back() -> None:
    sums = StepSums().with_events(events([(0, 0, 10), (700, 1, NO_SIZE)]))
    assert StepSums.from_json(json.loads(json.dumps(sums.to_json()))) == sums


@pytest.mark.parametrize(
    "change", [{"stride": 3}, {"stride": 0}, {"bad": [1, 2]}, {"events": [-1]}, {"loss_size": [2**60]}]
)
def test_what_is_none_is_refused(change: dict[str, object]) -> None:
    row = {"stride": 1, **{name: [0] for name in COLUMNS}}
    assert len(StepSums.from_json(row)) == 1
    with pytest.raises(ValueError, match="no sums of steps"):
        StepSums.from_json(row | change)
    with pytest.raises(KeyError):
        StepSums.from_json({"stride": 1})
