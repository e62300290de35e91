"""Lines of a frame are followed until it ends, and a tracer of the program's own is left alone."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from tensordbg.debug.lines.frame_traces import watch_frame


def walked(lines: list[int], most: int) -> int:
    def told(frame: FrameType, event: str, argument: Any) -> bool:
        if event == "line":
            lines.append(frame.f_lineno - frame.f_code.co_firstlineno)
        return len(lines) < most

    assert watch_frame(sys._getframe(), told)
    a = 1
    b = abs(-a)
    return a + b


def test_the_lines_that_follow_are_told_of_until_they_are_not_asked_for() -> None:
    lines: list[int] = []
    assert walked(lines, 2) == 2 and lines == [7, 8] and sys.gettrace() is None
    assert walked(lines, 9) == 2 and lines == [7, 8, 7, 8, 9] and sys.gettrace() is None


def test_several_follow_one_frame() -> None:
    told: list[str] = []

    def by(name: str, most: int) -> Any:
        return lambda *_: told.append(name) or told.count(name) < most

    def program() -> None:
        watch_frame(sys._getframe(), by("one", 1))
        watch_frame(sys._getframe(), by("other", 2))
        a = 1
        del a

    program()
    assert told == ["one", "other", "other"] and sys.gettrace() is None


def test_the_end_of_the_program_ends_it() -> None:
    def told(*_: Any) -> bool:
        raise SystemExit(3)

    def program() -> int:
        watch_frame(sys._getframe(), told)
        return 1

    with pytest.raises(SystemExit):
        program()
    assert sys.gettrace() is None
    lines: list[int] = []
    assert walked(lines, 1) == 2 and len(lines) == 1


def test_a_tracer_of_the_program_is_left_alone() -> None:
    def own(*_: Any) -> None: ...

    sys.settrace(own)
    try:
        found = watch_frame(sys._getframe(), lambda *_: True), sys.gettrace()
    finally:
        sys.settrace(None)
    assert found == (False, own)
