"""The partner of each value in the other run: the one of its size whose statistics are nearest.

The distance of two values is the largest of the relative differences of their extremes, of their sums (beside the sum
of as many numbers of their size and of chance signs), of those of their magnitudes where both are known, and of their
sums of squares. Equal values of two frameworks are
some 3e-7 apart in float32, other values of the same size mostly above 1e-2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.hashing import mixed
from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.diff.numbers import HIGH, INFINITIES, LOW, MAGNITUDES, NANS, SQUARES, SUM, Floats, Numbers
from tensordbg.model import NONE

FAR = 9.0
"""The distance of what can't be compared: of unequal sizes, or where only one side is not finite."""

_FILLING = 1e6
"""Numbers so large are what masks fill in, mostly."""
_TELLING = 1e-3

_NEIGHBOURS = 12
"""So many values to each side, in the order of their norms, are looked at."""

_CERTAIN = 0.5
"""A value of the same kind that is so many roundings away, and stands near the same place, is the partner."""


@dataclass(frozen=True)
class Partners:
    """For each value of one run the nearest of the other."""

    row: Ints
    """`NONE` where the other run has none of its size."""
    distance: Floats

    def within(self, tolerance: float) -> Bools:
        """Which of them agree."""
        result: Bools = self.distance <= tolerance
        return result


def distances(a: Floats, b: Floats, size: Ints) -> Floats:
    """The distances of pairs of values of one size each, from their statistics."""
    low = np.maximum(np.abs(a[:, LOW]), np.abs(b[:, LOW]))
    high = np.maximum(np.abs(a[:, HIGH]), np.abs(b[:, HIGH]))
    scale = np.maximum(low, high)
    filled = scale >= _FILLING  # beside a mask of -1e9 the other end has to speak for the numbers
    low, high = (np.where(filled & (end >= _TELLING), end, scale) for end in (low, high))
    squares = np.maximum(a[:, SQUARES], b[:, SQUARES])
    spread = np.sqrt(squares * size)  # rms * n, over the square root of n in the sum's own term
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = [
            np.abs(a[:, LOW] - b[:, LOW]) / low,
            np.abs(a[:, HIGH] - b[:, HIGH]) / high,
            np.abs(a[:, SUM] - b[:, SUM]) / spread,
            np.abs(a[:, MAGNITUDES] - b[:, MAGNITUDES]) / spread,
            np.abs(a[:, SQUARES] - b[:, SQUARES]) / squares,
        ]
    result = np.nan_to_num(np.maximum.reduce([np.where(np.isnan(term), 0.0, term) for term in terms]), posinf=FAR)
    unlike = ((a[:, NANS] > 0) != (b[:, NANS] > 0)) | ((a[:, INFINITIES] > 0) != (b[:, INFINITIES] > 0))
    return np.where(unlike, FAR, np.minimum(result, FAR))


def find_partners(mine: Numbers, theirs: Numbers, group: tuple[Ints, Ints], likeness: tuple[Ints, Ints]) -> Partners:
    """Finds the nearest value in the same group of the other run.

    Args:
        mine: The values that look for a partner.
        theirs: Those of the other run.
        group: Of each value of both a number that must be equal, besides the size.
        likeness: Of each value of both a number; of two equally near ones, that with the same number is taken.
    """
    if not len(theirs) or not len(mine):
        return Partners(np.full(len(mine), NONE, dtype=np.int64), np.full(len(mine), FAR))
    groups, rank = _groups(mine, theirs, group), _ranks(mine, theirs)
    width = len(mine) + len(theirs) + 1
    key_mine, key_theirs = (groups[k] * width + rank[k] for k in (0, 1))
    order = np.argsort(key_theirs, kind="stable")
    place = np.searchsorted(key_theirs[order], key_mine)
    best, least = np.full(len(mine), NONE, dtype=np.int64), np.full(len(mine), np.inf)
    near = np.full(len(mine), FAR)
    hint = max(mine.rounding, theirs.rounding)
    looking = np.arange(len(mine))
    for offset in sorted(range(-_NEIGHBOURS, _NEIGHBOURS), key=lambda each: abs(each + 0.5)):
        at = place[looking] + offset
        row = order[np.clip(at, 0, len(order) - 1)]
        inside = (at >= 0) & (at < len(order)) & (groups[1][row] == groups[0][looking])
        chosen, row = looking[inside], row[inside]
        distance = distances(mine.statistics[chosen], theirs.statistics[row], mine.size[chosen])
        unlike = (likeness[0][chosen] != likeness[1][row]) + np.abs(chosen / len(mine) - row / len(theirs))
        score = distance + hint * unlike
        better = score < least[chosen]
        best[chosen[better]], least[chosen[better]] = row[better], score[better]
        near[chosen[better]] = distance[better]
        looking = looking[least[looking] > _CERTAIN * hint]
    return Partners(best, near)


def _groups(mine: Numbers, theirs: Numbers, group: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    both = mixed(np.concatenate(group), np.concatenate([mine.size, theirs.size]))
    _, number = np.unique(both, return_inverse=True)
    number = number.reshape(-1).astype(np.int64)
    return number[: len(mine)], number[len(mine) :]


def _ranks(mine: Numbers, theirs: Numbers) -> tuple[Ints, Ints]:
    norms = np.concatenate([mine.statistics[:, SQUARES], theirs.statistics[:, SQUARES]])
    _, rank = np.unique(norms, return_inverse=True)
    rank = rank.reshape(-1).astype(np.int64)
    return rank[: len(mine)], rank[len(mine) :]
