"""Sums of much that cancels out: their rounding is that of what is summed up, and large beside what is left.

Two runs that sum up equal values in unlike orders agree to some roundings of the sum of magnitudes. So their results
are equal, though each may be far from the other beside itself; and so is what is made of such a number alone. Where
nothing but rounding is left, as of the sum of what was normalized, a number says nothing at all, see `cancelled.py`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.diff.agreement import Agreement
from tensordbg.analysis.diff.cancelled import SUMS, Cancelled
from tensordbg.analysis.diff.matching import distances
from tensordbg.analysis.diff.numbers import SQUARES, SUM
from tensordbg.analysis.diff.side import Side
from tensordbg.operations.kinds import Kind

_MOST = 1e-2
"""What is farther apart, beside itself, is told as a difference in any case."""
_AMPLIFIED = 4.0
"""So many times as far apart as what it is made of a single number may be."""


def with_sums(a: Side, b: Side, agreement: Agreement) -> Agreement:
    """Counts single numbers as equal that are sums of equal values and as near as rounding puts them."""
    found = _Sums(a, b, agreement)
    return found.agreement if found.find() else agreement


class _Sums:
    """The single numbers of two runs, and which of them agree."""

    def __init__(self, a: Side, b: Side, agreement: Agreement) -> None:
        self._a, self._b = a, b
        self._tolerance = agreement.tolerance
        self._before = agreement
        self._label_a, self._label_b = agreement.label_a.copy(), agreement.label_b.copy()
        self._made: dict[tuple[int, int, frozenset[int]], list[int]] = {}
        self._cancelled = Cancelled(a), Cancelled(b)

    def find(self) -> bool:
        """Goes through the numbers of B in order, so that what is made of one comes behind it."""
        rows_b = np.flatnonzero((self._b.numbers.size == 1) & (self._label_b < 0) & self._b.edges.made).tolist()
        if not rows_b:
            return False
        found, waiting = False, set(rows_b)
        for row in np.flatnonzero((self._a.numbers.size == 1) & (self._label_a < 0) & self._a.edges.made).tolist():
            self._note(row)
        for row in sorted(waiting):
            partner = next((each for each in self._alike(row) if self._are_near(each, row)), None)
            if partner is None:
                continue
            self._label_a[partner] = self._label_b[row] = partner
            found = True
            for child in self._a.edges.children[partner]:
                if self._a.numbers.size[child] == 1 and self._label_a[child] < 0:
                    self._note(child)
        return self._find_losses() or found

    def _find_losses(self) -> bool:
        """Pairs losses of one step that rounding has put apart; a kernel keeps what it sums up to itself."""
        theirs: dict[int, list[int]] = {}
        for row in np.flatnonzero(self._a.losses).tolist():
            theirs.setdefault(int(self._a.numbers.step[row]), []).append(row)
        mine = ((row, int(self._b.numbers.step[row])) for row in np.flatnonzero(self._b.losses).tolist())
        alike = ((other, row) for row, step in mine for other in theirs.get(step, ()))
        found = [pair for pair in alike if self._is_apart(*pair) and self._are_sums(*pair)]
        for row_a, row_b in found:
            label = max(int(self._label_a[row_a]), int(self._label_b[row_b]))
            self._label_a[row_a] = self._label_b[row_b] = row_a if label < 0 else label
        return bool(found)

    def _is_apart(self, row_a: int, row_b: int) -> bool:
        """Tells whether one of two numbers has no partner."""
        return bool(min(self._label_a[row_a], self._label_b[row_b]) < 0)

    def _are_rounding(self, row_a: int, row_b: int) -> bool:
        """Tells whether nothing but rounding is left of one of two numbers, and not more of the other."""
        bound = max(each.bound(row) for each, row in zip(self._cancelled, (row_a, row_b), strict=True))
        told = self._a.numbers.statistics[row_a, SUM], self._b.numbers.statistics[row_b, SUM]
        return bool(max(np.abs(told)) <= bound)

    def _are_sums(self, row_a: int, row_b: int) -> bool:
        """Tells whether two numbers are no farther apart than the rounding of what one of them sums up."""
        bound = max(each.rounding(row) for each, row in zip(self._cancelled, (row_a, row_b), strict=True))
        apart = abs(self._a.numbers.statistics[row_a, SUM] - self._b.numbers.statistics[row_b, SUM])
        near = apart <= bound and self._distance(row_a, row_b) <= _MOST
        return bool(near) or self._are_rounding(row_a, row_b)

    @property
    def agreement(self) -> Agreement:
        """All that agreed before, and what was found."""
        return replace(
            self._before, a=self._label_a >= 0, b=self._label_b >= 0, label_a=self._label_a, label_b=self._label_b
        )

    def _note(self, row: int) -> None:
        key = self._key(self._a, self._label_a, row)
        if key is not None:
            self._made.setdefault(key, []).append(row)

    def _alike(self, row: int) -> list[int]:
        key = self._key(self._b, self._label_b, row)
        return [] if key is None else [each for each in self._made.get(key, ()) if self._label_a[each] < 0]

    def _key(self, side: Side, label: Ints, row: int) -> tuple[int, int, frozenset[int]] | None:
        """The step, the kind and what goes in, all of which the other run has; `None` where it has not all."""
        parents = side.edges.parents[row]
        given = frozenset(int(label[each]) for each in parents)
        return None if -1 in given else (int(side.numbers.step[row]), int(side.kinds[row]), given)

    def _are_near(self, row_a: int, row_b: int) -> bool:
        apart = self._distance(row_a, row_b)
        near = apart <= min(_MOST, max(self._room(row_a), self._drift(row_b)))
        return near or self._are_rounding(row_a, row_b)

    def _distance(self, row_a: int, row_b: int) -> float:
        told = self._a.numbers.statistics[[row_a]], self._b.numbers.statistics[[row_b]]
        return float(distances(*told, np.ones(1, dtype=np.int64))[0])

    def _room(self, row: int) -> float:
        """How far two sums may be apart, beside themselves: the tolerance is one of the magnitudes that go in.

        The sum of those is at most that of numbers of one magnitude with the same sum of squares.
        """
        side, told, size = self._a, self._a.numbers.statistics, self._a.numbers.size
        kind = side.operation(row).kind
        whole = [each for each in side.edges.parents[row] if size[each] > 1]
        if kind not in SUMS or len(whole) != 1 or not told[row, SUM]:
            return 0.0
        magnitudes = np.sqrt(told[whole[0], SQUARES] * size[whole[0]])
        count = size[whole[0]] if kind is Kind.MEAN else 1
        return float(self._tolerance * magnitudes / count / abs(told[row, SUM]))

    def _drift(self, row: int) -> float:
        """How far what is made of single numbers may be apart, where these are equal only as sums."""
        side = self._b
        singles = [each for each in side.edges.parents[row] if side.numbers.size[each] == 1]
        far = [self._distance(int(self._label_b[each]), each) for each in singles]
        return _AMPLIFIED * max(far, default=0.0) if len(singles) == len(side.edges.parents[row]) else 0.0
