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
_ENTRY = re.compile(r"stack expects each tensor to be equal size, but got .* at entry \d+ and .* at entry (\d+)")
_LONGEST = 60


def item_behind(error: BaseException) -> str:
    """`item 7 of Rows`, where a dataset raised as a loader took it, or it fits no batch; empty for any other error.

    The error of a worker is known by its message alone, which tells no item.
    """
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    fetching = next((k for k, frame in enumerate(frames) if frame.f_code.co_filename.endswith(_FETCHING)), None)
    if fetching is None:
        return ""
    for frame in frames[fetching + 1 :]:
        if frame.f_code.co_name == "__getitem__" and _OF_DATA not in frame.f_code.co_filename:
            return _called_for(frame)
    return _entry_behind(str(error), frames[fetching:])


def _entry_behind(message: str, frames: Sequence[FrameType]) -> str:
    """The item that does not go together with the others of its batch, where PyTorch's own code puts them together."""
    entry = _ENTRY.search(message)
    own = all(_OF_DATA in frame.f_code.co_filename for frame in frames)
    fetched = frames[0].f_locals
    items, fetcher = fetched.get("possibly_batched_index"), fetched.get("self")
    if entry is None or not own or not isinstance(items, list) or int(entry[1]) >= len(items):
        return ""
    item, dataset = items[int(entry[1])], getattr(fetcher, "dataset", None)
    return f"item {item!r} of {type(dataset).__name__}"[:_LONGEST] if isinstance(item, (int, str)) else ""


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
