"""The health of a tensor as JSON."""

from __future__ import annotations

import math
from typing import Any

from tensordbg.model import Health


def health_to_json(health: Health) -> dict[str, Any]:
    """Counts and statistics; null stands for what was not measured, is beyond a double, or lacks a finite element."""
    counts = ("size", "negative", "zero", "positive", "neg_inf", "pos_inf", "nan", "subnormal")
    statistics = ("min", "max", "mean", "std")
    return {
        **{name: None if name in health.unmeasured else getattr(health, name) for name in counts},
        **{name: _number(getattr(health, name)) for name in statistics},
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
