"""Waits for the end of a line that Python is running, as pdb does: only then it is known what the line has computed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from tensordbg.debug.lines.eager import LineOfFrame

Done = Callable[[Any], None]
"""Called with what the line returned, None where it did not return."""


def watch_end(line: LineOfFrame, done: Done) -> bool:
    """Calls `done` when a line has ended that runs in this thread; not where it raises.

    Returns:
        Whether it can: a tracer of the program's own, such as pdb or one that measures coverage, is left alone.
    """
    if sys.gettrace() is not None:
        return False
    _EndOfLine(line, done).begin()
    return True


class _EndOfLine:
    """The tracer, from the middle of a line to its end."""

    def __init__(self, line: LineOfFrame, done: Done) -> None:
        self._line = line
        self._done = done
        self._raising = False

    def begin(self) -> None:
        self._line.frame.f_trace = self._trace
        sys.settrace(_nothing)

    def _trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "exception":
            self._raising = True
            return self._trace
        if event == "line" and self._line.first <= frame.f_lineno <= self._line.last:
            return self._trace
        if event not in {"line", "return"}:
            return self._trace
        sys.settrace(None)
        frame.f_trace = None
        if not self._raising:
            self._done(argument if event == "return" else None)
        return None


def _nothing(*_: Any) -> None:
    """Looks into no code that is called."""
