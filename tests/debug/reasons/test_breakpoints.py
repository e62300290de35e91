"""What each kind of breakpoint is reached by."""

from __future__ import annotations

import pytest

from tensordbg.console.language.filters import Filters
from tensordbg.console.running import BreakKind, Breakpoint
from tensordbg.debug.reasons.breakpoints import Breakpoints, Computed
from tensordbg.errors import UsageError
from tensordbg.model import Frame

FRAMES = (Frame("/code/train.py", 30, "main", True), Frame("/lib/keras.py", 9, "call", False))
LOG = Computed("net/loss/Log", "Log", ("train_step", "train_step_cond"), "net/head", FRAMES)


@pytest.mark.parametrize(
    ("kind", "text", "hit"),
    [
        (BreakKind.OPERATION, "net/loss/Log", True),
        (BreakKind.OPERATION, "Log", True),
        (BreakKind.OPERATION, "net/*", True),
        (BreakKind.OPERATION, "Lo", False),
        (BreakKind.FUNCTION, "train_step", True),
        (BreakKind.FUNCTION, "*cond", True),
        (BreakKind.FUNCTION, "train", False),
        (BreakKind.LAYER, "head", True),
        (BreakKind.LAYER, "net/head", True),
        (BreakKind.LAYER, "h*", True),
        (BreakKind.LAYER, "hea", False),
        (BreakKind.LINE, "train.py:30", True),
        (BreakKind.LINE, "/code/train.py:30", True),
        (BreakKind.LINE, "rain.py:30", False),
        (BreakKind.LINE, "train.py:31", False),
    ],
)
def test_an_operation_reaches(kind: BreakKind, text: str, hit: bool) -> None:
    breakpoints = Breakpoints(Filters())
    number = breakpoints.add(Breakpoint(kind, text))
    of_session = (
        "; its run could not be held inside at what this line makes, so it is stopped at behind the run"
        if kind is BreakKind.LINE
        else ""
    )
    told = f"breakpoint {number} ({kind.value} {text}){of_session}"
    assert breakpoints.reached([LOG], None, [LOG]) == (told if hit else "")


def test_the_first_that_is_reached_is_named_and_one_taken_away_is_not() -> None:
    breakpoints = Breakpoints(Filters())
    numbers = [breakpoints.add(Breakpoint(BreakKind.OPERATION, text)) for text in ("Exp", "Log", "net/*")]
    assert numbers == [1, 2, 3]
    assert breakpoints.reached([LOG], None) == "breakpoint 2 (operation Log)"
    breakpoints.remove(2)
    assert breakpoints.reached([LOG], None) == "breakpoint 3 (operation net/*)"
    assert breakpoints.add(Breakpoint(BreakKind.OPERATION, "Log")) == 4


def test_a_filter_that_is_none_is_refused_when_it_is_set() -> None:
    breakpoints = Breakpoints(Filters())
    with pytest.raises(UsageError, match="non_finite"):
        breakpoints.add(Breakpoint(BreakKind.FILTER, "non_finit"))
    assert breakpoints.by_number == {}
    breakpoints.add(Breakpoint(BreakKind.FILTER, "non_finite"))
    assert breakpoints.reached([LOG], None) == ""
