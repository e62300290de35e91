"""Follows the lines of some frames of this thread, as pdb does; nothing that they call is looked at."""

from __future__ import annotations

import dis
import inspect
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

Watcher = Callable[[FrameType, str, Any], bool]
"""Told of what a frame does, as a function that Python traces with is; returns whether it wants to be told further."""


_YIELD = dis.opmap["YIELD_VALUE"]


class _Watched(threading.local):
    """The frames of one thread that are followed, each with who follows it."""

    def __init__(self) -> None:
        self.frames: dict[FrameType, list[Watcher]] = {}
        self.raising: set[FrameType] = set()
        """Those in which an exception was met last."""


_WATCHED = _Watched()


def watch_frame(frame: FrameType, watcher: Watcher) -> bool:
    """Follows a frame that runs in this thread, until it ends at the latest.

    Returns:
        Whether it can: a tracer of the program's own, such as pdb or one that measures coverage, is left alone.
    """
    if sys.gettrace() not in {None, _nothing}:
        return False
    _WATCHED.frames.setdefault(frame, []).append(watcher)
    frame.f_trace = _pass_on
    sys.settrace(_nothing)
    return True


def hands_out(frame: FrameType, event: str) -> bool:
    """Whether a generator hands out a value and will go on, which Python tells as a return."""
    if event != "return" or not frame.f_code.co_flags & inspect.CO_GENERATOR or frame in _WATCHED.raising:
        return False
    return frame.f_code.co_code[frame.f_lasti] == _YIELD


def _pass_on(frame: FrameType, event: str, argument: Any) -> Any:
    watchers = _WATCHED.frames.get(frame, [])
    if event == "exception":
        _WATCHED.raising.add(frame)
    elif event == "line":
        _WATCHED.raising.discard(frame)
    try:
        for each in list(watchers):
            if not each(frame, event, argument):
                watchers.remove(each)
    except BaseException:
        # The program was told to end: Python traces no further.
        _WATCHED.frames.clear()
        _WATCHED.raising.clear()
        raise
    if watchers and (event != "return" or hands_out(frame, event)):
        return _pass_on
    _WATCHED.frames.pop(frame, None)
    _WATCHED.raising.discard(frame)
    frame.f_trace = None
    if not _WATCHED.frames and sys.gettrace() is _nothing:
        sys.settrace(None)
    return None


def _nothing(*_: Any) -> None:
    """Looks into no code that is called."""
