"""Which line of the program an eager operation belongs to, and whether it is the first there since the line began.

A line may run many operations, and it may run many times; Python tells neither. A line that runs again begins again at
the same place in the code, or before it; within one run of it, places follow each other, or stand in the same call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType


@dataclass(frozen=True)
class LineOfFrame:
    """A line of the program that is running."""

    frame: FrameType
    first: int
    last: int


Wanted = Callable[[str, int], tuple[int, int] | None]
"""The first and the last line of what stands at a line of a file, where it is of interest."""


class _Thread(threading.local):
    """Where one thread was seen last."""

    line: LineOfFrame | None = None
    within: FrameType | None = None
    """The code that the line has called."""
    place: int = -1


class EagerLines:
    """Follows all threads."""

    def __init__(self, is_own: Callable[[str], bool]) -> None:
        """`is_own` says of a file whether its code is that of the debugger."""
        self._is_own = is_own
        self._thread = _Thread()

    def forget(self) -> None:
        """The line that this thread is at counts as new when it is met again."""
        self._thread.line = self._thread.within = None

    def begun(self, caller: FrameType, wanted: Wanted) -> LineOfFrame | None:
        """The line of interest that an operation is the first of, None where it is at none, or not the first."""
        thread = self._thread
        line, within = self._innermost(caller, wanted)
        before = thread.line
        same = line is not None and before is not None and _is_same(before, line)
        goes_on = same and line is not None and self._goes_on(line.frame.f_lasti, within)
        thread.line, thread.within = line, within
        thread.place = -1 if line is None else line.frame.f_lasti
        return None if goes_on else line

    def _goes_on(self, place: int, within: FrameType | None) -> bool:
        return place > self._thread.place or (within is not None and within is self._thread.within)

    def _innermost(self, caller: FrameType, wanted: Wanted) -> tuple[LineOfFrame | None, FrameType | None]:
        frame: FrameType | None = caller
        within: FrameType | None = None
        while frame is not None:
            file = frame.f_code.co_filename
            if not self._is_own(file):
                lines = wanted(file, frame.f_lineno)
                if lines is not None:
                    return LineOfFrame(frame, *lines), within
                within = frame
            frame = frame.f_back
        return None, None


def _is_same(one: LineOfFrame, other: LineOfFrame) -> bool:
    return one.frame is other.frame and (one.first, one.last) == (other.first, other.last)
