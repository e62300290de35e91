"""Waits for the end of a line that Python is running, as pdb does: only then it is known what the line has computed."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any

from tensordbg.debug.lines.eager import LineOfFrame
from tensordbg.debug.lines.frame_traces import watch_frame

Done = Callable[[Any], None]
"""Called with what the line returned, None where it did not return."""


def watch_end(line: LineOfFrame, done: Done) -> bool:
    """Calls `done` when a line has ended that runs in this thread; not where it raises.

    Returns:
        Whether it can, see `watch_frame`.
    """
    return watch_frame(line.frame, _EndOfLine(line, done).follow)


class _EndOfLine:
    """Follows a frame from the middle of a line to its end."""

    def __init__(self, line: LineOfFrame, done: Done) -> None:
        self._line = line
        self._done = done
        self._raising = False

    def follow(self, frame: FrameType, event: str, argument: Any) -> bool:
        """See `Watcher`."""
        if event == "exception":
            self._raising = True
            return True
        if event == "line" and self._line.first <= frame.f_lineno <= self._line.last:
            return True
        if event not in {"line", "return"}:
            return True
        if not self._raising:
            self._done(argument if event == "return" else None)
        return False
