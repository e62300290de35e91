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


@dataclass(frozen=True)
class _Order:
    """The values of both runs in one order: by group, then by norm."""

    groups: tuple[Ints, Ints]
    keys: tuple[Ints, Ints]

    @classmethod
    def of(cls, mine: Numbers, theirs: Numbers, group: tuple[Ints, Ints]) -> _Order:
        """Numbers the groups, and puts the values in their order."""
        groups, rank = _groups(mine, theirs, group), _ranks(mine, theirs)
        width = len(mine) + len(theirs) + 1
        return cls(groups, (groups[0] * width + rank[0], groups[1] * width + rank[1]))

    def turned(self) -> _Order:
        """Returns it with the two runs exchanged."""
        return _Order(self.groups[::-1], self.keys[::-1])


def find_both(
    a: Numbers, b: Numbers, group: tuple[Ints, Ints], likeness: tuple[Ints, Ints]
) -> tuple[Partners, Partners]:
    """Finds the partners of the values of A, and those of B, as `find_partners` does."""
    if not len(a) or not len(b):
        return _none(a), _none(b)
    order = _Order.of(a, b, group)
    return _nearest(a, b, order, likeness), _nearest(b, a, order.turned(), likeness[::-1])


def find_partners(mine: Numbers, theirs: Numbers, group: tuple[Ints, Ints], likeness: tuple[Ints, Ints]) -> Partners:
    """Finds the nearest value in the same group of the other run.

    Args:
        mine: The values that look for a partner.
        theirs: Those of the other run.
        group: Of each value of both a number that must be equal, besides the size.
        likeness: Of each value of both a number; of two equally near ones, that with the same number is taken.
    """
    if not len(theirs) or not len(mine):
        return _none(mine)
    return _nearest(mine, theirs, _Order.of(mine, theirs, group), likeness)


def _none(mine: Numbers) -> Partners:
    return Partners(np.full(len(mine), NONE, dtype=np.int64), np.full(len(mine), FAR))


def _nearest(mine: Numbers, theirs: Numbers, sorted_by: _Order, likeness: tuple[Ints, Ints]) -> Partners:
    groups, (key_mine, key_theirs) = sorted_by.groups, sorted_by.keys
    order = np.argsort(key_theirs, kind="stable")
    group, norm = groups[1][order], theirs.statistics[order, SQUARES]
    place = np.searchsorted(key_theirs[order], key_mine)
    best, least = np.full(len(mine), NONE, dtype=np.int64), np.full(len(mine), np.inf)
    near = np.full(len(mine), FAR)
    hint = max(mine.rounding, theirs.rounding)
    everything = np.argsort(place, kind="stable")  # so that neighbours in memory are read one after the other
    looking = {False: everything, True: everything}
    for offset in sorted(range(-_NEIGHBOURS, _NEIGHBOURS), key=lambda each: abs(each + 0.5)):
        rows = looking[offset < 0]
        rows = rows[least[rows] > _CERTAIN * hint]
        at = place[rows] + offset
        inside = (at >= 0) & (at < len(order))
        rows, at = rows[inside], at[inside]
        # What is beyond those whose norms alone are too far apart, or of another group, is farther still.
        hopeful = group[at] == groups[0][rows]
        hopeful &= _norms_apart(mine.statistics[rows, SQUARES], norm[at]) < least[rows]
        looking[offset < 0] = chosen = rows[hopeful]
        row = order[at[hopeful]]
        distance = distances(mine.statistics[chosen], theirs.statistics[row], mine.size[chosen])
        unlike = (likeness[0][chosen] != likeness[1][row]) + np.abs(chosen / len(mine) - row / len(theirs))
        score = distance + hint * unlike
        better = score < least[chosen]
        best[chosen[better]], least[chosen[better]] = row[better], score[better]
        near[chosen[better]] = distance[better]
    return Partners(best, near)


def _norms_apart(a: Floats, b: Floats) -> Floats:
    """A bound that the distances of pairs are not below."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(np.abs(a - b) / np.maximum(a, b), posinf=0.0)


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
