"""By how much a tensor's magnitude changed from the beginning of a recording to its end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.warnings.study.series import Floats
from tensordbg.analysis.warnings.study.study import ENOUGH, Study

_SHARE = 8
"""The beginning, the middle and the end are this part of the steps each; their medians are compared."""


@dataclass(frozen=True)
class Trend:
    """How one tensor went."""

    series: int
    steps: int
    begin: float
    middle: float
    end: float

    @property
    def ratio(self) -> float:
        """How many times as large it is in the end."""
        return self.end / self.begin if self.begin > 0 else np.inf if self.end > 0 else 1.0

    def evidence(self) -> dict[str, float | int | str]:
        """The numbers of it."""
        return {"steps": self.steps, "begin": self.begin, "middle": self.middle, "end": self.end}


def trend(study: Study, sizes: Floats, k: int) -> Trend | None:
    """How series k went.

    Args:
        study: The trace.
        sizes: The magnitude of each row, by whatever measure.
        k: The series.

    Returns:
        `None` where there are too few steps, or the magnitude was not measured or zero at first.
    """
    rows = sizes[study.series.rows(k)]
    if len(rows) < ENOUGH or np.isnan(rows).any():
        return None
    width = max(1, len(rows) // _SHARE)
    middle = (len(rows) - width) // 2
    parts = (rows[:width], rows[middle : middle + width], rows[-width:])
    begin, middle_size, end = (float(np.median(part)) for part in parts)
    if begin == 0.0:
        return None
    return Trend(k, len(rows), begin, middle_size, end)


def root_mean_square(study: Study, rows: slice = slice(None)) -> Floats:
    """For each row, or some of them, the root of the mean of the squares."""
    size = study.series.size[rows]
    with np.errstate(invalid="ignore"):
        result: Floats = np.sqrt(study.series.squares[rows] / np.where(size > 0, size, 1))
    return result


def changed(study: Study, sizes: Floats, factor: float) -> list[int]:
    """The series that could have changed by at least a factor (below 1: fallen), by their first and last rows."""
    series = study.series
    first, last = sizes[series.starts[:-1]], sizes[series.starts[1:] - 1]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = last / first
    far = ratio >= factor if factor > 1 else ratio <= factor
    return [int(k) for k in np.flatnonzero(far & (series.lengths >= ENOUGH) & (first > 0))]
