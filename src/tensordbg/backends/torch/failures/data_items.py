"""Which item of a dataset it was whose code raised, and what a worker of a `DataLoader` has to say of its error."""

from __future__ import annotations

import re
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from tensordbg.packages import is_among_packages

FETCHING = "/torch/utils/data/_utils/fetch.py"
OF_DATA = "/torch/utils/data/"
_IN_WORKER = re.compile(r"\ACaught (?P<error>\w+) in (?P<where>DataLoader worker process \d+)\.\n")
_FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)"')
ENTRY = re.compile(
    r"stack expects each tensor to be equal size, but got (\[.*\]) at entry (\d+) and (\[.*\]) at entry (\d+)"
)
_TRACEBACK = "Traceback (most recent call last):"
LONGEST = 60
_DEEPEST = 3
_MOST = 64
"""So many parts of an item are looked at, and so many subsets of subsets."""

OF_WORKER = "_tensordbg_item"
"""The attribute of the error that a worker hands on which says of which item it is."""


@dataclass(frozen=True)
class Item:
    """An item of a dataset."""

    name: str = ""
    """`item 7 of Rows`; empty where none is known."""
    frame: tuple[str, int, str] | None = None
    """The file, line and function of the code that gave it, where that is not the code that raised."""


NO_ITEM = Item()


def item_behind(error: BaseException) -> Item:
    """The item whose code raised as a loader took it, or that fits no batch; none for any other error."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    fetching = next((k for k, frame in enumerate(frames) if frame.f_code.co_filename.endswith(FETCHING)), None)
    if fetching is None:
        return _of_worker(frames)
    for frame in frames[fetching + 1 :]:
        if frame.f_code.co_name == "__getitem__" and OF_DATA not in frame.f_code.co_filename:
            return Item(_called_for(frame))
    return _entry_behind(str(error), frames[fetching:])


def _of_worker(frames: Sequence[FrameType]) -> Item:
    """What a worker said of the error that is raised again where its batch is asked for."""
    for frame in reversed(frames):
        if frame.f_code.co_name == "reraise":
            item = getattr(frame.f_locals.get("self"), OF_WORKER, None)
            return item if isinstance(item, Item) else NO_ITEM
    return NO_ITEM


def _entry_behind(message: str, frames: Sequence[FrameType]) -> Item:
    """The item that does not go together with the others of its batch.

    Where the program puts them together itself, it may do anything: then only what the message says of an item counts.
    """
    fetched = frames[0].f_locals
    items, data, fetcher = (fetched.get(name) for name in ("possibly_batched_index", "data", "self"))
    if not isinstance(items, list) or not isinstance(data, list) or len(items) != len(data):
        return NO_ITEM
    own = all(OF_DATA in frame.f_code.co_filename for frame in frames)
    if ENTRY.search(message):
        place = _stacked(message, data)
    elif own:
        place = _odd_one(data)
    else:
        place = _nothing_at(data) if "NoneType" in message else None
    if place is None:
        return NO_ITEM
    dataset, item = whole(getattr(fetcher, "dataset", None), items[place])
    if not isinstance(item, (int, str)):
        return NO_ITEM
    name = f"item {item!r} of {type(dataset).__name__}"[:LONGEST]
    other = data[0 if place else -1]
    return Item(name + _unlike(data[place], other, _DEEPEST), giving(dataset))


def whole(dataset: Any, item: Any) -> tuple[Any, Any]:
    """The dataset that a subset is of, and the item's number there."""
    from torch.utils.data import Subset

    for _ in range(_MOST):
        if type(dataset) is not Subset or not isinstance(item, int):
            break
        dataset, item = dataset.dataset, dataset.indices[item]
    return dataset, int(item) if hasattr(item, "__index__") else item


def giving(dataset: Any) -> tuple[str, int, str] | None:
    """The program's code that gives items."""
    code = getattr(getattr(type(dataset), "__getitem__", None), "__code__", None)
    if not isinstance(code, CodeType) or is_among_packages(code.co_filename):
        return None
    return code.co_filename, code.co_firstlineno, code.co_name


def _stacked(message: str, data: Sequence[Any]) -> int | None:
    """The place of the item of another shape that was to be stacked, where the items have what the message tells."""
    told = ENTRY.search(message)
    if told is None or not max(int(told[2]), int(told[4])) < len(data):
        return None
    fits = all(told[k] in _shapes(data[int(told[k + 1])], _DEEPEST) for k in (1, 3))
    return int(told[4]) if fits else None


def _shapes(value: Any, depth: int) -> list[str]:
    """The shapes of what an item consists of."""
    if depth and type(value) in {list, tuple, dict}:
        parts = [*(value.values() if type(value) is dict else value)][:_MOST]
        return [shape for part in parts for shape in _shapes(part, depth - 1)]
    return [_dims(getattr(value, "shape", None))]


def _nothing_at(data: Sequence[Any]) -> int | None:
    """The place of the first item that is None, where others are something."""
    places = [k for k, each in enumerate(data) if each is None]
    return places[0] if 0 < len(places) < len(data) else None


def _odd_one(data: Sequence[Any]) -> int | None:
    """The place of the first item that is not made as most are; of items that are made alike the first with a None."""
    made = [_make(each, _DEEPEST) for each in data]
    ((usual, count), *_) = Counter(made).most_common(1) or [(None, 0)]
    others = [k for k, each in enumerate(made) if each != usual]
    if others and count > 1:
        return others[0]
    without = [k for k, each in enumerate(made) if "NoneType" in str(each)]
    return without[0] if without else None


def _unlike(value: Any, other: Any, depth: int) -> str:
    """`, which has [6] where others have [8]`; empty where nothing differs."""
    if value is None or type(value) is not type(other):
        return f", which has {_kind(value)}" + ("" if other is None else f" where others have {_kind(other)}")
    if depth and type(value) in {list, tuple}:
        if len(value) != len(other):
            return f", which has {len(value)} parts where others have {len(other)}"
        return next(filter(None, (_unlike(*two, depth - 1) for two in zip(value[:_MOST], other, strict=False))), "")
    if depth and type(value) is dict:
        lacking = [key for key in other if key not in value]
        if lacking:
            return f", which has no {lacking[0]!r}"[:LONGEST]
        both = [key for key in value if key in other]
        return next(filter(None, (_unlike(value[key], other[key], depth - 1) for key in both[:_MOST])), "")
    shapes = [getattr(each, "shape", None) for each in (value, other)]
    return "" if shapes[0] == shapes[1] else ", which has {} where others have {}".format(*map(_dims, shapes))


def _kind(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _dims(shape: Any) -> str:
    return str(list(shape)) if isinstance(shape, tuple) else "no shape"


def _make(value: Any, depth: int) -> Any:
    """Types, keys, lengths and shapes: what items of one batch have in common."""
    kind = type(value)
    if depth and kind in {list, tuple}:
        return (kind.__name__, *(_make(each, depth - 1) for each in value[:_MOST]))
    if depth and kind is dict:
        few = list(value.items())[:_MOST]
        return (kind.__name__, *sorted(((str(key), _make(each, depth - 1)) for key, each in few), key=str))
    return kind.__name__, str(getattr(value, "shape", ""))


def worker_error(message: str) -> str:
    """The message of the error in a worker, behind it the program's frames there; empty of any other message."""
    caught = _IN_WORKER.match(message)
    if caught is None:
        return ""
    lines = message.strip().splitlines()
    last = max(
        (k for k, line in enumerate(lines) if line == _TRACEBACK), default=0
    )  # of errors that led to one another
    start = next((k for k in range(last, len(lines)) if lines[k].startswith(caught["error"])), len(lines) - 1)
    return "\n".join([f"{lines[start]} (in {caught['where']})", *lines[start + 1 :], *_of_program(lines[1:start])])


def _of_program(lines: Sequence[str]) -> Iterator[str]:
    """The frames of a traceback that are of no package, with their text."""
    wanted = False
    for line in lines:
        if (frame := _FRAME.match(line)) is not None:
            wanted = not is_among_packages(frame["file"])
        if wanted and line.startswith(" "):
            yield line


def _called_for(frame: FrameType) -> str:
    names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
    if len(names) < len(("self", "item")):
        return ""
    owner, item = (frame.f_locals.get(name) for name in names[:2])
    if not isinstance(item, (int, str)):
        return ""
    return f"item {item!r} of {type(owner).__name__}"[:LONGEST]
