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
_MOST_UNLIKE = 2.0
"""So many roundings farther a value may seem, for its kind and its place."""
_LESS = 1 - 1e-9
"""A bound that is computed otherwise than the distance is lowered so much, for rounding."""


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


def find_partners(
    mine: Numbers, theirs: Numbers, group: tuple[Ints, Ints], likeness: tuple[Ints, Ints], known: Floats | None = None
) -> Partners:
    """Finds the nearest value in the same group of the other run.

    Args:
        mine: The values that look for a partner.
        theirs: Those of the other run.
        group: Of each value of both a number that must be equal, besides the size.
        likeness: Of each value of both a number; of two equally near ones, that with the same number is taken.
        known: For each value a distance, from which on none is looked for.
    """
    if not len(theirs) or not len(mine):
        return _none(mine)
    return _nearest(mine, theirs, _Order.of(mine, theirs, group), likeness, known)


def _none(mine: Numbers) -> Partners:
    return Partners(np.full(len(mine), NONE, dtype=np.int64), np.full(len(mine), FAR))


@dataclass(frozen=True)
class _Sorted:
    """The values of a run in one order, so that those which are compared one after the other lie side by side."""

    row: Ints
    group: Ints
    statistics: Floats
    """A row for each column."""
    size: Ints
    kind: Ints
    place: Floats
    """Where in its run each stands, from 0 to 1."""

    @classmethod
    def of(cls, numbers: Numbers, row: Ints, group: Ints, kind: Ints) -> _Sorted:
        """Sorts the values of a run: the numbers of their rows come in the order."""
        columns = np.ascontiguousarray(numbers.statistics[row].T)
        return cls(row, group[row], columns, numbers.size[row], kind[row], row / len(numbers))

    def statistics_of(self, at: Ints) -> Floats:
        """The statistics of some, a row for each."""
        result: Floats = self.statistics[:, at].T
        return result


def _nearest(
    mine: Numbers, theirs: Numbers, sorted_by: _Order, likeness: tuple[Ints, Ints], known: Floats | None = None
) -> Partners:
    key_mine, key_theirs = sorted_by.keys
    order = np.argsort(key_theirs, kind="stable")
    there = _Sorted.of(theirs, order, sorted_by.groups[1], likeness[1])
    place = np.searchsorted(key_theirs[order], key_mine)
    by_place = np.argsort(place, kind="stable")
    here, place = _Sorted.of(mine, by_place, sorted_by.groups[0], likeness[0]), place[by_place]
    hint = max(mine.rounding, theirs.rounding)
    best, near = np.full(len(mine), NONE, dtype=np.int64), np.full(len(mine), FAR)
    least = np.full(len(mine), np.inf) if known is None else known[by_place] + _MOST_UNLIKE * hint
    looking = dict.fromkeys((False, True), np.arange(len(mine)))
    for offset in sorted(range(-_NEIGHBOURS, _NEIGHBOURS), key=lambda each: abs(each + 0.5)):
        rows = looking[offset < 0]
        rows = rows[least[rows] > _CERTAIN * hint]
        at = place[rows] + offset
        inside = (at >= 0) & (at < len(order))
        rows, at = rows[inside], at[inside]
        # What is beyond those whose norms alone are too far apart, or of another group, is farther still.
        hopeful = there.group[at] == here.group[rows]
        hopeful &= _norms_apart(here.statistics[SQUARES, rows], there.statistics[SQUARES, at]) < least[rows]
        looking[offset < 0] = rows = rows[hopeful]
        at = at[hopeful]
        hopeful = _extremes_apart(here, rows, there, at) < least[rows]
        rows, at = rows[hopeful], at[hopeful]
        distance = distances(here.statistics_of(rows), there.statistics_of(at), here.size[rows])
        unlike = (here.kind[rows] != there.kind[at]) + np.abs(here.place[rows] - there.place[at])
        score = distance + hint * unlike
        better = score < least[rows]
        rows = rows[better]
        best[rows], least[rows], near[rows] = order[at[better]], score[better], distance[better]
    partners = _none(mine)
    partners.row[by_place], partners.distance[by_place] = best, near
    return partners


def _extremes_apart(mine: _Sorted, rows: Ints, theirs: _Sorted, at: Ints) -> Floats:
    """A bound that the distances of pairs are not below, from their extremes."""
    low, high = mine.statistics[LOW, rows], mine.statistics[HIGH, rows]
    other_low, other_high = theirs.statistics[LOW, at], theirs.statistics[HIGH, at]
    apart = np.maximum(np.abs(low - other_low), np.abs(high - other_high))
    scale = np.maximum.reduce([np.abs(low), np.abs(high), np.abs(other_low), np.abs(other_high)])
    with np.errstate(divide="ignore", invalid="ignore"):
        result: Floats = np.nan_to_num(apart / scale, posinf=0.0) * _LESS
    return result


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
