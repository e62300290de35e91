"""Tells of an error in a worker of a `DataLoader` that says nothing itself which items of the dataset it may be of.

The program's own process chooses the items of each batch, and what the worker hands on has the error's traceback. So
it is where PyTorch's loop of a worker was begun by something else than `data_workers`, or had no frame to look at.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from tensordbg.backends.torch.failures.data_items import (
    ENTRY,
    FETCHING,
    LONGEST,
    NO_ITEM,
    OF_DATA,
    OF_WORKER,
    Item,
    giving,
    whole,
)
from tensordbg.enumeration import first_few

_FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)", line \d+, in (?P<name>.+)$', re.MULTILINE)
_NEXT, _PROCESS = "_next_index", "_process_data"
_LISTED = 8


def watch_batches() -> Callable[[], None]:
    """Notes the items of each batch that a worker is asked for from now on, and returns what ends that."""
    from torch.utils.data.dataloader import _MultiProcessingDataLoaderIter

    owner: Any = _MultiProcessingDataLoaderIter
    plain_next, plain_process = getattr(owner, _NEXT, None), getattr(owner, _PROCESS, None)
    if plain_next is None or plain_process is None:
        return lambda: None
    asked: WeakKeyDictionary[Any, dict[int, Any]] = WeakKeyDictionary()

    def next_index(batches: Any) -> Any:
        items = plain_next(batches)
        with contextlib.suppress(Exception):  # this is on the program's way to its next batch
            _note(asked.setdefault(batches, {}), batches, items)
        return items

    def process_data(batches: Any, data: Any, *args: Any) -> Any:
        with contextlib.suppress(Exception):
            _tell(asked.get(batches, {}), batches, data)
        return plain_process(batches, data, *args)

    inherited = _NEXT not in vars(owner)
    setattr(owner, _NEXT, next_index)
    setattr(owner, _PROCESS, process_data)

    def undo() -> None:
        if getattr(owner, _PROCESS) is process_data:
            setattr(owner, _PROCESS, plain_process)
        if getattr(owner, _NEXT) is next_index and inherited:
            delattr(owner, _NEXT)
        elif getattr(owner, _NEXT) is next_index:
            setattr(owner, _NEXT, plain_next)

    return undo


def _note(asked: dict[int, Any], batches: Any, items: Any) -> None:
    """Notes the items of the batch that is about to be asked for."""
    number = batches._send_idx  # noqa: SLF001  as PyTorch numbers them
    if number == 0:  # an epoch begins
        asked.clear()
    asked[number] = items


def _tell(asked: dict[int, Any], batches: Any, data: Any) -> None:
    """Has an error say the items of its batch: the one that is no longer waited for."""
    come = {number: asked.pop(number) for number in [*asked] if number not in batches._task_info}  # noqa: SLF001
    text = getattr(data, "exc_msg", None)
    if len(come) != 1 or not isinstance(text, str) or hasattr(data, OF_WORKER):
        return
    (items,) = come.values()
    item = item_of_batch(text, batches._dataset, items if isinstance(items, list) else [items])  # noqa: SLF001
    if item.name:
        setattr(data, OF_WORKER, item)


def item_of_batch(text: str, dataset: Any, items: Sequence[Any]) -> Item:
    """The item that an error is of, or some of which it is one, by the error's text.

    Args:
        text: The traceback.
        dataset: The dataset of the loader.
        items: Those of the batch.
    """
    frames = [(each["file"], each["name"]) for each in _FRAME.finditer(text)]
    fetching = max((k for k, (file, _) in enumerate(frames) if file.endswith(FETCHING)), default=None)
    if fetching is None:
        return NO_ITEM
    inside = frames[fetching + 1 :]
    told = ENTRY.search(text)
    if told is not None and inside and all(OF_DATA in file for file, _ in inside):
        place = int(told[4])
        unlike = f", which has {told[3]} where others have {told[1]}"
        return _named(dataset, items[place : place + 1], unlike)
    if any(name in {"__getitem__", "__getitems__"} and OF_DATA not in file for file, name in inside):
        return Item(_named(dataset, items, "").name)  # the code that raised tells its line
    return NO_ITEM


def _named(dataset: Any, items: Sequence[Any], unlike: str) -> Item:
    found = [whole(dataset, item) for item in items]
    if not found or not all(isinstance(item, (int, str)) for _, item in found):
        return NO_ITEM
    owner = found[0][0]
    kind = type(owner).__name__[:LONGEST]
    listed = first_few([repr(item)[:LONGEST] for _, item in found], _LISTED)
    words = f"item {listed}" if len(found) == 1 else f"one of the items {listed}"
    return Item(f"{words} of {kind}{unlike}", giving(owner) if unlike else None)
