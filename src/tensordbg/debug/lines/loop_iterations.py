"""Follows loops of Python that compute nothing where they begin, `for i in range(3):`, from iteration to iteration.

The first operation of an iteration tells of the loop. From then on its frame is followed: behind the loop's own line,
the next one begins an iteration. Where that line itself runs operations, as when it takes from a dataset, these tell.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

from tensordbg.console.language.statements import Statement
from tensordbg.debug.lines.eager import LineOfFrame
from tensordbg.debug.lines.frame_traces import watch_frame

Begun = Callable[[LineOfFrame], None]
"""Called with the line of a loop whose next iteration begins."""

LoopsAt = Callable[[str, int], tuple[Statement, ...]]
"""The loops of interest that a line of a file belongs to."""

_KEEPS_NO_TRACE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


@dataclass
class _Loop:
    """A loop that is running."""

    line: LineOfFrame
    is_told: bool
    """Whether who watches knows of this iteration already."""


class _Thread(threading.local):
    """The loops that run in one thread, by the frame and the first line."""

    def __init__(self) -> None:
        self.loops: dict[tuple[FrameType, int], _Loop] = {}


class LoopIterations:
    """Follows the loops of all threads."""

    def __init__(self, loops_at: LoopsAt, is_own: Callable[[str], bool]) -> None:
        """`is_own` says of a file whether its code is that of the debugger."""
        self._loops_at = loops_at
        self._is_own = is_own
        self._thread = _Thread()

    def look(self, caller: FrameType, begun: Begun) -> list[LineOfFrame]:
        """The loops whose first iteration an operation is found to have begun; of later ones `begun` tells."""
        found = []
        frame: FrameType | None = caller
        while frame is not None:
            file = frame.f_code.co_filename
            loops = () if self._is_own(file) else self._loops_at(file, frame.f_lineno)
            found += [
                LineOfFrame(frame, each.first, each.last)
                for each in loops
                if not self._is_known(frame, each) and self._follow(frame, each, begun)
            ]
            frame = frame.f_back
        return found

    def _is_known(self, frame: FrameType, statement: Statement) -> bool:
        loop = self._thread.loops.get((frame, statement.first))
        if loop is not None and frame.f_lineno not in statement.repeated:
            # An operation of the loop's own line.
            loop.is_told = True
        return loop is not None

    def _follow(self, frame: FrameType, statement: Statement, begun: Begun) -> bool:
        """Follows a loop, and says whether an iteration of it has begun that nobody was told of."""
        if frame.f_code.co_flags & _KEEPS_NO_TRACE:
            return False
        loop = _Loop(LineOfFrame(frame, statement.first, statement.last), is_told=True)
        loops = self._thread.loops

        def follow(frame: FrameType, event: str, argument: Any) -> bool:  # noqa: ARG001  as Python calls it
            goes_on = event != "return" and bool(self._loops_at(frame.f_code.co_filename, statement.first))
            if goes_on and event == "line":
                goes_on = _goes_on(loop, statement, frame.f_lineno, begun)
            if not goes_on:
                loops.pop((frame, statement.first), None)
            return goes_on

        if not watch_frame(frame, follow):
            return False
        loops[frame, statement.first] = loop
        return frame.f_lineno in statement.repeated


def _goes_on(loop: _Loop, statement: Statement, line: int, begun: Begun) -> bool:
    """Whether a loop goes on at a line; tells of an iteration that begins there."""
    if statement.first <= line <= statement.last:
        loop.is_told = False
        return True
    if line not in statement.repeated:
        return False
    if not loop.is_told:
        loop.is_told = True
        begun(loop.line)
    return True
