"""The health of a tensor as JSON."""

from __future__ import annotations

import math
from typing import Any

from tensordbg.model import Health


def health_to_json(health: Health) -> dict[str, Any]:
    """Counts and statistics; null stands where no element is finite, and for what is beyond a double."""
    counts = ("size", "negative", "zero", "positive", "neg_inf", "pos_inf", "nan", "subnormal")
    statistics = ("min", "max", "mean", "std")
    return {
        **{name: getattr(health, name) for name in counts},
        **{name: _number(getattr(health, name)) for name in statistics},
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
