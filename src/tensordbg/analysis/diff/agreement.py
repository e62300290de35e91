"""Which values of two runs agree: those of one step first, then what is left among all steps."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tensordbg.analysis.columns.hashing import mixed
from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.diff.anchors import Anchors
from tensordbg.analysis.diff.matching import Partners, find_both, find_partners
from tensordbg.analysis.diff.numbers import ROUNDING
from tensordbg.analysis.diff.reproduced import reproduces
from tensordbg.analysis.diff.shifted import find_ages, without_shifted
from tensordbg.analysis.diff.side import Side
from tensordbg.analysis.diff.tolerance import tolerance_of
from tensordbg.model import NONE

_EXACT = ROUNDING["float32"]
"""The rounding that counts between runs which reproduce each other to the bit, in whatever precision they compute."""


@dataclass(frozen=True)
class Agreement:
    """For the values of both runs whether the other has them too."""

    a: Bools
    b: Bools
    label_a: Ints
    """The same number for partners, `NONE` for what does not agree."""
    label_b: Ints
    near_a: Partners
    near_b: Partners
    tolerance: float

    def joined(self, rows_a: Ints, rows_b: Ints) -> Agreement:
        """Returns it with some pairs that are taken for equal besides."""
        a, b = self.a.copy(), self.b.copy()
        label_a, label_b = self.label_a.copy(), self.label_b.copy()
        number = np.where(label_a[rows_a] != NONE, label_a[rows_a], rows_a)
        fresh_a, fresh_b = ~a[rows_a], ~b[rows_b]
        label_a[rows_a[fresh_a]] = rows_a[fresh_a]
        label_b[rows_b[fresh_b]] = number[fresh_b]
        a[rows_a], b[rows_b] = True, True
        return replace(self, a=a, b=b, label_a=label_a, label_b=label_b)


def find_agreement(a: Side, b: Side, given: float | None, anchors: Anchors) -> Agreement:
    """Finds what agrees.

    Args:
        a: The reference.
        b: The other run.
        given: The tolerance; None to learn it from the values that match.
        anchors: Values that correspond to none but each other.
    """
    # What frameworks read and keep when is not the same, so that their steps can't be told apart by it.
    ages = find_ages(a, b) if a.frameworks == b.frameworks else None
    near_a, near_b = _both(a, b, anchors.groups(a.numbers.step, b.numbers.step))
    rounding = max(a.numbers.rounding, b.numbers.rounding)
    if min(a.numbers.rounding, b.numbers.rounding) > _EXACT:
        fine = _exactly(a), _exactly(b)
        exact = _both(*fine, anchors.groups(a.numbers.step, b.numbers.step))
        if reproduces(a, b, exact[1]):
            (a, b), (near_a, near_b), rounding = fine, exact, _EXACT
    tolerance = given
    if tolerance is None:
        one_precision = a.numbers.rounding == b.numbers.rounding
        tolerance = tolerance_of(near_b.distance, b.edges, rounding, one_precision=one_precision)
    everywhere = np.zeros(len(a.numbers), dtype=np.int64), np.zeros(len(b.numbers), dtype=np.int64)
    group = anchors.groups(*everywhere)
    near_a = _among_all_steps((a, b), group, near_a, tolerance)
    near_b = _among_all_steps((b, a), group[::-1], near_b, tolerance)
    if ages is not None:
        near_a = without_shifted((a, b), group, near_a, ages)
        near_b = without_shifted((b, a), group[::-1], near_b, ages[::-1])
    label_b = np.where(near_b.within(tolerance), near_b.row, NONE)
    through = np.where(near_a.within(tolerance), near_a.row, NONE)
    label_a = np.where(through == NONE, NONE, np.append(label_b, NONE)[through])
    rows_a = np.arange(len(a.numbers))
    label_a = np.where((through != NONE) & (label_a == NONE), rows_a, label_a)
    label_a, label_b = (_of_equal_rows(a, group[0], each) for each in (label_a, label_b))
    return Agreement(through != NONE, label_b != NONE, label_a, label_b, near_a, near_b, tolerance)


def _of_equal_rows(a: Side, group: Ints, label: Ints) -> Ints:
    """Gives all rows of A that hold one value, as a batch that is handed on does, the label of the first of them.

    Else two values of B that are the same one would have different labels, by which of those rows is nearest to each.
    """
    statistics = np.ascontiguousarray(a.numbers.statistics).view(np.int64)
    key = mixed(a.numbers.size, group, *statistics.T)
    _, position, back = np.unique(key, return_index=True, return_inverse=True)
    result: Ints = np.append(position[back], NONE)[label]
    return result


def _exactly(side: Side) -> Side:
    return replace(side, numbers=replace(side.numbers, rounding=_EXACT))


def _both(a: Side, b: Side, group: tuple[Ints, Ints]) -> tuple[Partners, Partners]:
    return find_both(a.numbers, b.numbers, group, (a.kinds, b.kinds))


def _among_all_steps(sides: tuple[Side, Side], group: tuple[Ints, Ints], known: Partners, tolerance: float) -> Partners:
    """What one framework computes at the end of a step, another may read at the beginning of the next."""
    mine, theirs = sides
    rest = np.flatnonzero(~known.within(tolerance))
    kinds = mine.kinds[rest], theirs.kinds
    groups, bound = (group[0][rest], group[1]), known.distance[rest]
    found = find_partners(mine.numbers.of(rest), theirs.numbers, groups, kinds, bound)
    better = found.distance < known.distance[rest]
    row, distance = known.row.copy(), known.distance.copy()
    row[rest[better]], distance[rest[better]] = found.row[better], found.distance[better]
    return Partners(row, distance)
