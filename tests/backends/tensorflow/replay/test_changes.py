"""Captured steps with something changed."""

from __future__ import annotations

import numpy as np
import pytest

from tensordbg.backends.tensorflow.replay.replayer import Replayer
from tensordbg.capture.outcome import Reading
from tensordbg.capture.reader import open_capture
from tensordbg.errors import UsageError
from tensordbg.replaying.plan import ReplayPlan
from tests.backends.tensorflow.captured import captures


def replay(name: str, *changes: str) -> dict[str, Reading]:
    """The replayer goes at the end: one process can have one version of a function only."""
    path = captures()[name]
    replayer = Replayer(open_capture(path), ReplayPlan(str(path), changes=changes))
    return {reading.role: reading for reading in replayer.run(replayer.arguments)}


@pytest.mark.parametrize(
    "change",
    [
        "set x[7]=1",
        "set x=2",
        "set matmul:0=1.5",
        "set Log=0.25",
        "clip x:1e-3:",
        "clip matmul:0:1e-3:9",
        "set Mean:0=0",
    ],
)
def test_what_is_changed_counts_for_all_that_comes_after(change: str) -> None:
    readings = replay("any_size", change)
    assert not readings["loss"].bad


def test_an_input_a_variable_and_an_operation_take_the_value() -> None:
    assert replay("any_size", "set kernel=nan")["loss"].nan == 1
    assert replay("any_size", "set Log:0=0.25")["loss"].value == 0.25
    readings = replay("any_size", "set x=1", "set kernel=[[1], [2], [4]]", "set y=2")
    assert readings["loss"].value == pytest.approx(2 * np.log(7.0), rel=1e-6)


def test_gradients_are_clipped_to_their_common_norm() -> None:
    plain, clipped = replay("half", "set x=0.1"), replay("half", "set x=0.1", "clip 0.01")
    assert plain["gradient"].norm > 0.1  # type: ignore[operator]
    assert clipped["gradient"].norm == pytest.approx(0.01, rel=1e-2)
    loose = replay("half", "set x=0.1", "clip 1e6")
    assert loose["gradient"] == plain["gradient"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("set kernl=1", "the step has no input, variable or operation 'kernl'; did you mean 'kernel'?"),
        ("set Log:0[1]=1", "Log:0 is computed, so its rows can't be set one by one; set all of it"),
        ("set x[12]=1", r"x has the shape \[12, 3\], for which this does not fit"),
    ],
)
def test_mistakes_are_one_line(change: str, said: str) -> None:
    with pytest.raises(UsageError, match=said.replace("?", "\\?")):
        replay("any_size", change)
