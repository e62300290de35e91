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
from tensordbg.debug.lines.frame_traces import hands_out, watch_frame

Begun = Callable[[LineOfFrame], None]
"""Called with the line of a loop whose next iteration begins."""

LoopsAt = Callable[[str, int], tuple[Statement, ...]]
"""The loops of interest that a line of a file belongs to."""

_KEEPS_NO_TRACE = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


@dataclass
class _Loop:
    """A loop that is running."""

    line: LineOfFrame
    is_told: bool
    """Whether who watches knows of this iteration already."""
    last: int
    """The line at which it was seen last."""


class _Thread(threading.local):
    """The loops that are followed in one thread; a generator may go on in another, or in the same made anew."""

    def __init__(self) -> None:
        self.followed: set[tuple[FrameType, int]] = set()


class LoopIterations:
    """Follows the loops of all threads."""

    def __init__(self, loops_at: LoopsAt, is_own: Callable[[str], bool]) -> None:
        """`is_own` says of a file whether its code is that of the debugger."""
        self._loops_at = loops_at
        self._is_own = is_own
        self._thread = _Thread()
        self._running: dict[tuple[FrameType, int], _Loop] = {}

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
        key = (frame, statement.first)
        loop = self._running.get(key)
        if loop is None or key not in self._thread.followed:
            return False
        if frame.f_lineno not in statement.repeated:
            # An operation of the loop's own line.
            loop.is_told = True
        return True

    def _follow(self, frame: FrameType, statement: Statement, begun: Begun) -> bool:
        """Follows a loop, and says whether an iteration of it has begun that nobody was told of."""
        if frame.f_code.co_flags & _KEEPS_NO_TRACE:
            return False
        key, at = (frame, statement.first), frame.f_lineno
        loop = self._running.get(key) or _Loop(LineOfFrame(frame, statement.first, statement.last), False, at)
        begins = at in statement.repeated and (not loop.is_told or at < loop.last)

        def follow(frame: FrameType, event: str, argument: Any) -> bool:  # noqa: ARG001  as Python calls it
            goes_on = event != "return" or hands_out(frame, event)
            goes_on = goes_on and bool(self._loops_at(frame.f_code.co_filename, statement.first))
            if goes_on and event == "line":
                goes_on = _goes_on(loop, statement, frame.f_lineno, begun)
            if not goes_on:
                self._running.pop(key, None)
                self._thread.followed.discard(key)
            return goes_on

        if not watch_frame(frame, follow):
            return False
        self._running[key] = loop
        self._thread.followed.add(key)
        loop.is_told, loop.last = True, at
        return begins


def _goes_on(loop: _Loop, statement: Statement, line: int, begun: Begun) -> bool:
    """Whether a loop goes on at a line; tells of an iteration that begins there."""
    loop.last = line
    if statement.first <= line <= statement.last:
        loop.is_told = False
        return True
    if line not in statement.repeated:
        return False
    if not loop.is_told:
        loop.is_told = True
        begun(loop.line)
    return True
