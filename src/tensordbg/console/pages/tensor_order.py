"""The orders in which tensors can be listed."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.view.records.sites import NamedEvents
from tensordbg.analysis.view.table.order import SORT_KEYS, sort_events
from tensordbg.console.language.statistics import STATISTICS, Measured, MeasuredEvents
from tensordbg.console.pages.texts import byte_size
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.analysis.view.records.columns import EventColumns


class OrderedTensors(NamedEvents, MeasuredEvents, Protocol):
    """A trace whose tensors are ordered by names and statistics."""


_OLD: Mapping[str, str] = {"op_type": "op", "tensor_name": "tensor"}
KEYS = ("timestamp", "dump_size", *_OLD, "function", *STATISTICS)


def check_key(key: str) -> None:
    """Whether a list can be sorted so.

    Raises:
        UsageError: If it can't.
    """
    if key not in KEYS:
        near = get_close_matches(key, KEYS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose one of {', '.join(KEYS)}"
        raise UsageError(f"can't sort by {key!r}; {hint}")


def sorted_events(opened: OrderedTensors, events: Ints, key: str, descending: bool) -> Ints:
    """The events in an order; what is not known of them comes last.

    Args:
        opened: The trace.
        events: Their numbers, ascending.
        key: One of `KEYS`.
        descending: Whether the largest come first.
    """
    if key == "timestamp":
        return events[::-1] if descending else events
    known = _OLD.get(key, key)
    if known in SORT_KEYS:
        return sort_events(opened, events, known, descending)
    numbers = _bytes(opened, events) if key == "dump_size" else Measured(opened, events).get(key)
    order = np.argsort(-numbers if descending else numbers, kind="stable")
    found: Ints = events[order]
    return found


def _bytes(opened: EventColumns, events: Ints) -> Ints:
    words = opened.columns.words("dtype")
    sizes = np.array([*(byte_size(text, 1) or 0 for text in words.texts), 0], dtype=np.int64)
    numbers: Ints = opened.columns.whole("size")[events] * sizes[words.code[events]]
    return numbers
