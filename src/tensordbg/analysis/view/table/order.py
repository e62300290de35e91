"""Orders of a list of events: by what is known of them, what is not known last."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.view.records.sites import NamedEvents, SiteNames
from tensordbg.analysis.view.records.statistics import STATISTICS
from tensordbg.errors import UsageError

Key = Callable[[NamedEvents], npt.NDArray[Any]]

_SHORT = 2**16


def _whole(name: str) -> Key:
    return lambda opened: opened.columns.whole(name)


def _named(name: Callable[[SiteNames], str]) -> Key:
    """Sorted by a name that all events of a site share."""

    def ranks(opened: NamedEvents) -> Ints:
        names = [name(opened.site(number)) for number in range(opened.site_limit)]
        place = {text: rank for rank, text in enumerate(sorted(set(names)))}
        return np.array([place[text] for text in names], dtype=np.int32)[opened.columns.whole("site")]

    return ranks


def _tensor(opened: NamedEvents) -> Ints:
    slot = opened.columns.whole("slot")
    return _named(lambda names: names.site.name)(opened) * (int(slot.max(initial=0)) + 1) + slot


def _statistic(name: str) -> Key:
    def column(opened: NamedEvents) -> npt.NDArray[Any]:
        return STATISTICS[name](opened.columns)

    return column


def _number(opened: NamedEvents) -> Ints:
    return np.arange(opened.event_count)


def _non_finite(opened: NamedEvents) -> Ints:
    return opened.columns.non_finite()


SORT_KEYS: Mapping[str, Key] = {
    "event": _number,
    "time": _whole("time_ns"),
    "tensor": _tensor,
    "op": _named(lambda names: names.site.op_type),
    "function": _named(lambda names: names.function),
    "layer": _named(lambda names: names.layer),
    "step": _whole("step"),
    "size": _whole("size"),
    **{name: _statistic(name) for name in STATISTICS},
    "nonfinite": _non_finite,
    "zero": _whole("zero"),
}
"""What a list can be sorted by; -1 and NaN stand for what is not known."""


def check_order(order: str) -> None:
    """Whether a list can be sorted so.

    Raises:
        UsageError: If it can't.
    """
    if order not in SORT_KEYS:
        raise UsageError(f"can't sort by {order!r}; choose one of {', '.join(SORT_KEYS)}")


def sort_events(opened: NamedEvents, events: Ints | None, order: str, descending: bool) -> Ints:
    """The events in an order; those that are equal in it by their number, in the same direction.

    Args:
        opened: The trace.
        events: Their numbers, ascending; None for all.
        order: One of `SORT_KEYS`.
        descending: Whether the largest come first.
    """
    whole = SORT_KEYS[order](opened)
    key = whole if events is None else whole[events]
    unknown = np.isnan(key) if key.dtype.kind == "f" else key < 0
    known = np.flatnonzero(~unknown)
    placed = known[_argsort(key[known])]
    last = np.flatnonzero(unknown)
    if descending:
        placed, last = placed[::-1], last[::-1]
    joined = np.concatenate([placed, last])
    result: Ints = joined if events is None else events[joined]
    return result.astype(np.int32) if opened.event_count < np.iinfo(np.int32).max else result


def _argsort(key: npt.NDArray[Any]) -> Ints:
    if key.dtype.kind == "i" and len(key) and key.max() < _SHORT:
        key = key.astype(np.uint16)  # these are sorted much faster
    return np.argsort(key, kind="stable")
