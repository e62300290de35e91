"""The health of a tensor, for the page."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tensordbg.model import Health


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


def health_view(health: Health) -> HealthView:
    """For the page; null stands for what was not measured, is beyond a double, or lacks a finite element."""
    return HealthView(
        size=health.size,
        negative=_count(health, "negative"),
        zero=_count(health, "zero"),
        positive=_count(health, "positive"),
        neg_inf=_count(health, "neg_inf"),
        pos_inf=_count(health, "pos_inf"),
        nan=_count(health, "nan"),
        subnormal=_count(health, "subnormal"),
        min=finite(health.min),
        max=finite(health.max),
        mean=finite(health.mean),
        std=finite(health.std),
    )


def finite(value: float) -> float | None:
    """A number that JSON has; null for a NaN and for infinities."""
    return value if math.isfinite(value) else None


def _count(health: Health, name: str) -> int | None:
    value: int = getattr(health, name)
    return None if name in health.unmeasured else value
