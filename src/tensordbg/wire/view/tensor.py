"""One tensor over steps and iterations, and the elements of an event, for the page."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tensordbg.analysis.view.event.value_window import ValueWindow
from tensordbg.analysis.view.table.histograms import Histograms
from tensordbg.analysis.view.table.history import HistoryPoint, ThinnedHistory
from tensordbg.wire.view.health import HealthView, health_view

Number = float | int | bool | str | None
"""An element: a number, a boolean or a text; `nan`, `inf`, `-inf` as words; a complex number as text."""


@dataclass(frozen=True)
class Point:
    """One event of the tensor; where there are too many, those left out are counted."""

    event: int
    step: int
    iteration: int | None
    iterations: tuple[int, ...]
    """In loops of one another those of all of them, the outermost first; else empty."""
    health: HealthView | None
    shape: tuple[int, ...] | None
    kept: bool
    caller: int
    """Who had it computed: a position in `callers`."""


@dataclass(frozen=True)
class TensorView:
    """The history of one tensor."""

    tensor: str
    function: str
    total: int
    """How many events it has; `points` may be fewer: those that are not finite stay, others are thinned out evenly."""
    points: tuple[Point, ...]
    callers: tuple[str, ...]
    """Functions that the program called, each with steps of its own; empty for code outside of all functions."""


@dataclass(frozen=True)
class HistogramView:
    """How the elements of one event are spread."""

    event: int
    step: int
    iteration: int | None
    iterations: tuple[int, ...]
    """In loops of one another those of all of them, the outermost first; else empty."""
    caller: int
    """Who had it computed: a position in `callers`."""
    counts: tuple[int, ...]
    """Finite elements in each bin."""


@dataclass(frozen=True)
class HistogramsView:
    """How the elements of a tensor are spread, step by step."""

    tensor: str
    function: str
    """As it was asked for."""
    kept: int
    """Of how many events the elements were kept; there may be fewer histograms, evenly chosen."""
    edges: tuple[float, ...]
    """Of the bins, ascending, one more than there are bins; empty where no element is finite."""
    histograms: tuple[HistogramView, ...]
    callers: tuple[str, ...]
    """Functions that the program called; empty for code outside of all functions."""


@dataclass(frozen=True)
class ValuesView:
    """A slice of the elements of one event."""

    event: int
    dtype: str
    shape: tuple[int, ...]
    slice: str
    """As in NumPy, `[0, :, 3]`."""
    slice_shape: tuple[int, ...]
    """Of what is in `rows`: at most two dimensions."""
    row_offset: int
    column_offset: int
    rows_total: int
    """Of the slice; `rows` may be fewer."""
    columns_total: int
    rows: tuple[tuple[Number, ...], ...]
    min: float | None
    """Over the finite elements of the slice."""
    max: float | None


_EXACT = 2**53
"""Larger whole numbers than a double holds become texts."""


def tensor_view(history: ThinnedHistory) -> TensorView:
    """The history of a tensor."""
    points = tuple(map(_point, history.points))
    return TensorView(history.tensor, history.function, history.total, points, history.callers)


def _point(point: HistoryPoint) -> Point:
    health = None if point.health is None else health_view(point.health)
    return Point(
        point.event, point.step, point.iteration, point.iterations, health, point.shape, point.kept, point.caller
    )


def histograms_view(found: Histograms, function: str) -> HistogramsView:
    """The histograms of a tensor."""
    each = tuple(HistogramView(**vars(one)) for one in found.histograms)
    return HistogramsView(found.tensor, function, found.kept, found.edges, each, found.callers)


def values_view(event: int, window: ValueWindow, offset: tuple[int, int]) -> ValuesView:
    """A part of the elements of an event, from this row and column on."""
    return ValuesView(
        event=event,
        dtype=window.dtype,
        shape=window.shape,
        slice=window.slice,
        slice_shape=window.slice_shape,
        row_offset=offset[0],
        column_offset=offset[1],
        rows_total=window.total[0],
        columns_total=window.total[1],
        rows=tuple(tuple(number_view(element) for element in row) for row in window.elements),
        min=window.low,
        max=window.high,
    )


def number_view(element: Any) -> Number:
    """One element of an array as JSON has it."""
    if isinstance(element, bytes):
        return repr(element)
    kind = getattr(getattr(element, "dtype", None), "kind", "")
    if kind == "b":
        return bool(element)
    if kind in "iu" and kind:
        whole = int(element)
        return whole if abs(whole) <= _EXACT else str(whole)
    if kind in "cSU" and kind:
        return str(element)
    try:
        real = float(element)  # also of the narrow types that NumPy itself lacks
    except (TypeError, ValueError):
        return str(element)
    if math.isfinite(real):
        return real
    return "nan" if math.isnan(real) else "inf" if real > 0 else "-inf"
