"""The elements of one tensor as a table: a slice of at most two dimensions, and of that some rows and columns."""

from __future__ import annotations

from dataclasses import dataclass
from types import EllipsisType
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.tensors.slices import Index, parse_slice, take
from tensordbg.analysis.view.records.rows import EventRows
from tensordbg.analysis.view.requests import Window

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class ValueWindow:
    """Some elements of a tensor."""

    dtype: str
    shape: tuple[int, ...]
    slice: str
    """As it was taken, one item for each dimension."""
    slice_shape: tuple[int, ...]
    total: tuple[int, int]
    """Rows and columns of the slice; a vector is one row."""
    elements: Array
    """Of two dimensions."""
    low: float | None
    """Over the finite elements of the slice; None where there is none, and where they have no order."""
    high: float | None


class KeptElements(EventRows, Protocol):
    """A trace that holds elements of tensors."""

    def value(self, event: int) -> Any:
        """The elements of an event as an array."""


def value_window(opened: KeptElements, event: int, window: Window) -> ValueWindow:
    """A part of the elements of an event.

    Raises:
        AbsentError: If there is no such event.
        UsageError: If its elements were not kept, or there is no such slice of them.
        TraceError: If they can't be read.
    """
    opened.check_event(event)
    row = opened.row(event)
    array = opened.value(event)
    index = at_most_two(array, parse_slice(window.slice))
    part = take(array, index)
    table = part.reshape(-1, part.shape[-1]) if part.ndim > 1 else part.reshape(1, -1)
    rows = slice(window.row_offset, window.row_offset + window.rows)
    columns = slice(window.column_offset, window.column_offset + window.columns)
    low, high = _extent(part)
    return ValueWindow(
        dtype=row.dtype,
        shape=array.shape,
        slice=f"[{', '.join(map(_text, index))}]",
        slice_shape=part.shape,
        total=(table.shape[0], table.shape[1]),
        elements=table[rows, columns],
        low=low,
        high=high,
    )


def at_most_two(array: Array, index: Index) -> tuple[int | slice, ...]:
    """The index with an item for each dimension, and numbers in place of all slices but the last two.

    Raises:
        UsageError: If the array has no such part.
    """
    take(array, index)  # that there is such a part is checked here
    missing = array.ndim - sum(not isinstance(item, EllipsisType) for item in index)
    whole = index if ... in index else (*index, ...)
    items: list[int | slice] = []
    for item in whole:
        items += [slice(None)] * missing if isinstance(item, EllipsisType) else [item]
    sliced = [k for k, item in enumerate(items) if isinstance(item, slice)]
    for k in sliced[:-2]:
        item = items[k]
        first = range(array.shape[k])[item][:1] if isinstance(item, slice) else ()
        items[k] = first[0] if first else slice(0, 0)
    return tuple(items)


def _text(item: int | slice) -> str:
    if isinstance(item, int):
        return str(item)
    first, last = ("" if end is None else str(end) for end in (item.start, item.stop))
    return f"{first}:{last}" if item.step is None else f"{first}:{last}:{item.step}"


def _extent(part: Array) -> tuple[float | None, float | None]:
    if part.dtype.kind in "cOSU" or not part.size:
        return None, None
    if part.dtype.kind in "biu":
        return float(part.min()), float(part.max())
    numbers = part.astype(np.float64)
    finite = numbers[np.isfinite(numbers)]
    return (float(finite.min()), float(finite.max())) if finite.size else (None, None)
