from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest

from tensordbg.capture.header import Suspect, TensorDigest, Trouble
from tensordbg.capture.outcome import Reading
from tensordbg.capture.tensors import Array
from tensordbg.errors import CaptureError, StepRaisedError
from tensordbg.replaying.bisect import bisect, chosen

TROUBLE = Trouble(
    "non_finite",
    (Suspect("loss:0", "loss", "", "float32", (), 1, 0, 0),),
    (TensorDigest("loss:0", "loss", "", "captured"),),
)


@dataclass
class Mean:
    """A step whose loss is the mean of what it is given."""

    arguments: Mapping[str, Array]
    fixed: frozenset[str] = frozenset()
    sizes: set[int] = field(default_factory=set)
    rigid: bool = False

    def run(self, given: Mapping[str, Array]) -> tuple[Reading, ...]:
        if self.rigid and len(given["x"]) != 20:
            raise CaptureError("incompatible shapes")
        self.sizes.add(len(given["x"]))
        assert len(given["x"]) == len(given["y"])
        return (Reading("loss:0", "loss", "", int(np.isnan(given["x"]).any()), 0, 0, None, None, "now"),)


def step(bad: tuple[int, ...], fixed: frozenset[str] = frozenset()) -> Mean:
    x = np.ones((20, 3))
    x[list(bad), 1] = np.nan
    return Mean({"x": x, "y": np.zeros(20), "rate": np.array(0.1), "table": np.zeros((7, 2))}, fixed)


@dataclass
class Lookup(Mean):
    """A step that raises where an index is out of range, and otherwise where it is given too few rows."""

    def run(self, given: Mapping[str, Array]) -> tuple[Reading, ...]:
        if (given["x"] > 6).any():
            raise StepRaisedError(f"index {given['x'].max()}", "InvalidArgumentError gather")
        if self.rigid and len(given["x"]) != 8:
            raise StepRaisedError("incompatible shapes", "InvalidArgumentError add")
        return ()


@pytest.mark.parametrize("fixed", [frozenset(), frozenset({"x"})])
def test_finds_the_row_with_which_the_step_raises(fixed: frozenset[str]) -> None:
    step = Lookup({"x": np.array([1, 2, 9, 4, 5, 6, 0, 1])}, fixed, rigid=bool(fixed))
    found = bisect(step, Trouble("raised", ()))
    assert (found.smallest, found.alone, found.refilled) == ((2,), (2,), bool(fixed))


def test_finds_the_row_and_divides_only_what_shares_the_first_dimension() -> None:
    found = bisect(step((13,)), TROUBLE)
    assert (found.smallest, found.alone, found.inputs, found.rows) == ((13,), (13,), ("x", "y"), 20)


def test_all_rows_that_do_it_alone_are_named() -> None:
    assert bisect(step((3, 13)), TROUBLE).alone == (3, 13)


def test_a_function_traced_for_one_size_may_take_others() -> None:
    found = bisect(step((13,), frozenset({"x"})), TROUBLE)
    assert (found.smallest, found.refilled) == ((13,), False)


def test_where_one_size_is_taken_others_stand_in_for_what_is_left_out() -> None:
    replayer = step((13,), frozenset({"x"}))
    replayer.rigid = True
    found = bisect(replayer, TROUBLE)
    assert (found.smallest, found.refilled, replayer.sizes) == ((13,), True, {20})
    assert 13 not in found.stand_ins
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(chosen(replayer, found, (13,))["x"]).any(1)), [13])


def test_where_no_row_goes_well_each_stands_in_for_itself() -> None:
    replayer = step(tuple(range(20)), frozenset({"x"}))
    replayer.rigid = True
    found = bisect(replayer, TROUBLE)
    assert (found.alone, found.stand_ins) == (tuple(range(20)), ())
    np.testing.assert_array_equal(chosen(replayer, found, (4,))["x"], replayer.arguments["x"][[4] * 20])


def test_a_batch_that_goes_well_has_no_such_part() -> None:
    assert bisect(step(()), TROUBLE).smallest == ()


def test_what_has_no_rows_can_not_be_divided() -> None:
    with pytest.raises(CaptureError, match="nothing that has rows"):
        bisect(Mean({"rate": np.array(0.1)}), TROUBLE)
