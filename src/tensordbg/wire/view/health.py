"""The health of a tensor, for the page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class HealthView:
    """The statistics of one tensor; what was not measured is null."""

    size: int
    negative: int | None
    zero: int | None
    positive: int | None
    neg_inf: int | None
    pos_inf: int | None
    nan: int | None
    subnormal: int | None
    min: float | None
    """Over the finite elements, like those that follow; null where there is none."""
    max: float | None
    mean: float | None
    std: float | None
