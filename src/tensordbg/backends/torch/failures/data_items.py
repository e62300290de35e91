"""Which item of a dataset it was whose code raised, and what a worker of a `DataLoader` has to say of its error."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator, Sequence
from types import FrameType

from tensordbg.packages import is_among_packages

_FETCHING = "/torch/utils/data/_utils/fetch.py"
_OF_DATA = "/torch/utils/data/"
_IN_WORKER = re.compile(r"\ACaught (?P<error>\w+) in (?P<where>DataLoader worker process \d+)\.\n")
_FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)"')
_LONGEST = 60


def item_behind(error: BaseException) -> str:
    """`item 7 of Rows`, where a dataset raised as a loader took this item; empty for any other error.

    The error of a worker is known by its message alone, which tells no item.
    """
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    fetching = next((k for k, frame in enumerate(frames) if frame.f_code.co_filename.endswith(_FETCHING)), None)
    if fetching is None:
        return ""
    for frame in frames[fetching + 1 :]:
        if frame.f_code.co_name == "__getitem__" and _OF_DATA not in frame.f_code.co_filename:
            return _called_for(frame)
    return ""


def worker_error(message: str) -> str:
    """The message of the error in a worker, behind it the program's frames there; empty of any other message."""
    caught = _IN_WORKER.match(message)
    if caught is None:
        return ""
    lines = message.strip().splitlines()
    start = next((k for k, line in enumerate(lines) if line.startswith(caught["error"])), len(lines) - 1)
    return "\n".join([f"{lines[start]} (in {caught['where']})", *lines[start + 1 :], *_of_program(lines[1:start])])


def _of_program(lines: Sequence[str]) -> Iterator[str]:
    """The frames of a traceback that are of no package, with their text."""
    wanted = False
    for line in lines:
        if (frame := _FRAME.match(line)) is not None:
            wanted = not is_among_packages(frame["file"])
        if wanted:
            yield line


def _called_for(frame: FrameType) -> str:
    names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
    if len(names) < len(("self", "item")):
        return ""
    owner, item = (frame.f_locals.get(name) for name in names[:2])
    if not isinstance(item, (int, str)):
        return ""
    return f"item {item!r} of {type(owner).__name__}"[:_LONGEST]
