"""Values of equal elements in another order: only sketches tell of them, and the elements of small values.

A transposition in a square, an axis or a permutation of channels shows in what was measured at the next product, or at
none if what is reordered is a result. Here it is followed back to the operation behind which the order is another.

Two frameworks, and a layer beside a formula, may keep a weight one way or the other. So the order of parameters, of
gradients and of what a run begins with says nothing by itself, nor does that of what comes back to equal order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.diff.agreement import Agreement
from tensordbg.analysis.diff.apart import Apart, Pair, alike, distance_of
from tensordbg.analysis.diff.numbers import SQUARES
from tensordbg.analysis.diff.sketches import known, order_apart
from tensordbg.analysis.diff.wording import SUGGESTIONS, Explained
from tensordbg.model import NONE

_ROOM = 32.0
"""Orders count as unlike where they are so many tolerances apart, since the sums add up the errors of all elements."""
_MOST = 0.5
"""... and where they are so far apart in any case: those of chance permutations are about 1."""


class Orders:
    """The values of B's forward pass that A has in another order."""

    def __init__(self, a: Apart, b: Apart, agreement: Agreement) -> None:
        """Takes the two runs and what agrees."""
        self._a, self._b, self._agreement = a, b, agreement
        self._bound = min(_ROOM * agreement.tolerance, _MOST)

    @cached_property
    def unlike(self) -> Bools:
        """Whether each value of B lies in another order than all values of A that have its elements."""
        result = self._far(self._agreement.near_b.row, np.arange(len(self._b.label)))
        result &= (self._b.label >= 0) & ~self._b.constant & ~self._b.side.backward & ~self._b.side.kept
        for row in np.flatnonzero(result).tolist():
            twins = np.flatnonzero(self._a.label == self._b.label[row])
            result[row] = bool(len(twins)) and bool(self._far(twins, np.full(len(twins), row)).all())
        return result

    def _far(self, rows_a: Ints, rows_b: Ints) -> Bools:
        mine, theirs = self._a.side.numbers, self._b.side.numbers
        there = np.maximum(rows_a, 0)
        if not len(mine):
            return np.zeros(len(rows_b), dtype=np.bool_)
        far = order_apart(mine.order[there], theirs.order[rows_b], theirs.statistics[rows_b, SQUARES])
        result: Bools = (rows_a != NONE) & (far > self._bound)
        return result

    def beginnings(self, row: int) -> Iterator[int]:
        """Follows a value back to those behind which the order is another: what goes into them has that of A."""
        waiting, seen = [row], {row}
        while waiting:
            each = waiting.pop()
            before = [parent for parent in self._b.side.edges.parents[each] if self.unlike[parent]]
            if not before and self.unlike[each]:
                yield each
            new = [parent for parent in before if parent not in seen]
            seen.update(new)
            waiting.extend(new)

    def pair(self, row: int) -> Pair | None:
        """Pairs an operation that reorders equal values with the one of A that does not; None where it is no such."""
        partner = int(self._agreement.near_b.row[row])
        parents = self._b.side.edges.parents[row]
        whole = [each for each in parents if self._b.side.numbers.size[each] > 1]
        given = bool(whole) and all(self._has_order_of_a(each) for each in whole)
        if not given or not alike(self._a, self._b, partner, row):
            return None
        shapes = self._a.side.shape(partner), self._b.side.shape(row)
        if None in shapes or shapes[0] != shapes[1]:
            return None
        return Pair(partner, row, distance_of(self._a, self._b, partner, row), reordered=True)

    def _has_order_of_a(self, row: int) -> bool:
        """Whether both runs have a value in one order, as far as is known."""
        if self._b.constant[row]:
            return True
        return bool(self._b.label[row] >= 0 and known(self._b.side.numbers.order[[row]])[0] and not self.unlike[row])


def led_back(a: Apart, b: Apart, pairs: list[Pair], agreement: Agreement) -> list[Pair]:
    """Puts where the order became another in place of the first difference, if that comes of it."""
    if not pairs or b.side.backward[pairs[0].b] or b.side.kept[pairs[0].b]:
        return pairs
    orders = Orders(a, b, agreement)
    begun = {begin for parent in b.side.edges.parents[pairs[0].b] for begin in orders.beginnings(parent)}
    found = [pair for pair in map(orders.pair, sorted(begun)) if pair is not None]
    return [found[0], *pairs[1:]] if found else pairs


def reordered_results(a: Apart, b: Apart, agreement: Agreement) -> list[Pair]:
    """Finds where results of B begin to lie in another order than those of A; between frameworks nothing is said."""
    if a.side.frameworks != b.side.frameworks:
        return []
    orders, children = Orders(a, b, agreement), b.side.edges.children
    ends = [row for row in np.flatnonzero(orders.unlike).tolist() if not (children[row] or b.side.slot(row))]
    begun = {begin for end in ends for begin in orders.beginnings(end)}
    return [pair for pair in map(orders.pair, sorted(begun)) if pair is not None]


def explain_reordered(a: Apart, b: Apart, pair: Pair) -> Explained:
    """Tells of an operation whose result has the elements of A's in another order."""
    types = a.side.site(pair.a).op_type, b.side.site(pair.b).op_type
    text = (
        f"{types[1]} of B gives the elements of {types[0]} of A in another order, though what goes in lies in the "
        "same: an axis, a transposition or a reshape"
    )
    return Explained("value", pair.a, pair.b, pair.distance, True, (), text, SUGGESTIONS["order"])
