"""Lines of instructions are those that Python itself tells of a frame, in every version of Python."""

from __future__ import annotations

import sys
from types import FrameType

from tensordbg.recording.code_lines import line_at, lines_of


def frame_here() -> FrameType:
    return sys._getframe(1)


def test_line_of_the_running_instruction() -> None:
    seen = []
    for _ in range(2):
        frame = frame_here()
        seen.append((line_at(frame.f_code, frame.f_lasti), frame.f_lineno))
    frame = frame_here()
    seen.append((line_at(frame.f_code, frame.f_lasti), frame.f_lineno))
    assert [told for told, _ in seen] == [lineno for _, lineno in seen]
    first = test_line_of_the_running_instruction.__code__.co_firstlineno
    assert [told - first for told, _ in seen] == [4, 4, 6]


def test_what_has_no_line_has_that_of_its_code() -> None:
    code = compile("x = 1\ny = 2\n", "file.py", "exec")
    assert set(lines_of(code).values()) - {0} == {1, 2}
    assert line_at(code, 10**6) == 1
