"""One tensor over steps and iterations, and the elements of an event, for the page."""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.wire.view.health import HealthView

Number = float | int | bool | str | None
"""An element: a number, a boolean or a text; `nan`, `inf`, `-inf` as words; a complex number as text."""


@dataclass(frozen=True)
class Point:
    """One event of the tensor; where there are too many, those left out are counted."""

    event: int
    step: int
    iteration: int | None
    health: HealthView | None
    shape: tuple[int, ...] | None
    kept: bool


@dataclass(frozen=True)
class TensorView:
    """The history of one tensor."""

    tensor: str
    function: str
    total: int
    """How many events it has; `points` may be fewer: those that are not finite stay, others are thinned out evenly."""
    points: tuple[Point, ...]


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
