"""The variables of a frame are read, and it goes on as if nobody had."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import Any

import pytest

from tensordbg.recording.frame_values import values_in


class Thing:
    """Can be referred to weakly."""


def test_the_values_are_those_of_now() -> None:
    a, b = 1, [2]

    def inner() -> Any:
        return values_in(sys._getframe(1)), b

    first, _ = inner()
    assert (first["a"], first["b"]) == (1, [2])
    a = 3
    assert inner()[0]["a"] == a
    assert (a, b) == (3, [2])


def test_what_the_program_deletes_is_gone() -> None:
    thing = Thing()
    gone = weakref.ref(thing)
    assert values_in(sys._getframe())["thing"] is thing
    del thing
    gc.collect()
    assert gone() is None


def test_the_variables_that_the_program_asked_for_itself_stay() -> None:
    number = 5
    own = locals()
    assert values_in(sys._getframe())["number"] == number
    assert own["number"] == number


def test_what_the_program_put_there_stays() -> None:
    exec("made = 7")
    values_in(sys._getframe())
    assert ("made" in locals()) == (sys.version_info < (3, 13))


@pytest.mark.parametrize("times", [1, 3])
def test_a_debugger_keeps_the_variables(times: int) -> None:
    seen: list[int] = []

    def trace(frame: Any, event: str, _: Any) -> Any:
        if frame.f_code is traced.__code__ and event == "line":
            seen.extend(int("number" in values_in(frame)) for _ in range(times))
        return trace

    def traced() -> int:
        number = 8
        number += 1
        return number

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        assert traced() == 9
    finally:
        sys.settrace(before)
    assert 1 in seen


def test_a_module_has_its_own() -> None:
    space: dict[str, Any] = {"values_in": values_in, "sys": sys}
    exec("x = 1\nheld = values_in(sys._getframe())['x']", space)
    assert (space["x"], space["held"]) == (1, 1)
