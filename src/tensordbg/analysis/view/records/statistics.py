"""Statistics of all tensor events as columns: what a listing can be sorted by and searched for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from tensordbg.analysis.view.records.columns import Columns

Reals = npt.NDArray[np.float64]


def _mean(columns: Columns) -> Reals:
    return columns.real("sum") / _finite(columns)


def _std(columns: Columns) -> Reals:
    finite = _finite(columns)
    with np.errstate(over="ignore", invalid="ignore"):
        mean = columns.real("sum") / finite
        variance = columns.real("sum_squares") / finite - mean * mean
    # As `Health.std`: beyond what a double holds it is infinite.
    variance = np.where(np.isnan(variance) & ~np.isnan(mean), np.inf, variance)
    result: Reals = np.sqrt(np.maximum(variance, 0.0))
    return result


def _finite(columns: Columns) -> Reals:
    """How many elements are finite; NaN where there is none, or it is not known."""
    size, bad = columns.whole("size"), columns.non_finite()
    count = np.where((size >= 0) & (bad >= 0), size - bad, 0).astype(np.float64)
    count[count <= 0] = np.nan
    return count


STATISTICS: Mapping[str, Callable[[Columns], Reals]] = {
    "min": lambda columns: columns.real("min"),
    "max": lambda columns: columns.real("max"),
    "mean": _mean,
    "std": _std,
}
"""By the name of a key; NaN stands for what is not known."""
