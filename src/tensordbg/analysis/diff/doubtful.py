"""Gradients and updates that rounding may have put apart: no difference by themselves.

A gradient is a sum of much that cancels out, so its rounding is beside less than that of the values before it, and the
frameworks sum up in unlike orders. A tolerance that is learned from all values is a little small for a few of them.

An optimizer that divides by what it keeps of a gradient, as Adam does, makes steps as large as all others of elements
that are zero but for rounding: the bias of an attention's keys has no other gradients.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.numbers import HIGH, LOW
from tensordbg.operations.kinds import Kind

_ROOM = 3.0
"""So many times the tolerance."""
_ROUNDINGS = 4.0
"""So many roundings of the largest value, by the square root of their number, are left of a sum that cancels out."""


def without_doubtful(a: Apart, b: Apart, pairs: list[Pair], tolerance: float) -> list[Pair]:
    """Leaves out pairs of gradients, and of what optimizers make of them, that rounding may have put apart."""
    pairs = [
        pair for pair in pairs
        if not (_is_amplified(b, pair.b, tolerance) or (_is_cancelled(a, pair.a) and _is_cancelled(b, pair.b)))
    ]  # fmt: skip
    if a.side.frameworks == b.side.frameworks:
        return pairs
    gradient_a, gradient_b = a.side.backward, b.side.backward
    return [
        pair for pair in pairs if pair.distance > _ROOM * tolerance or not (gradient_a[pair.a] and gradient_b[pair.b])
    ]


def _is_cancelled(apart: Apart, row: int) -> bool:
    """Tells whether a gradient is a sum of values of which nothing but their rounding is left."""
    side = apart.side
    if not side.backward[row] or side.operation(row).kind is not Kind.SUM or len(side.edges.parents[row]) != 1:
        return False
    given, size = side.edges.parents[row][0], side.numbers.size
    largest = np.abs(side.numbers.statistics[:, [LOW, HIGH]][[row, given]]).max(axis=1)
    return bool(largest[0] <= _ROUNDINGS * side.numbers.rounding * largest[1] * np.sqrt(size[given] / size[row]))


def _is_amplified(apart: Apart, row: int, tolerance: float) -> bool:
    """Tells whether an update of equal values divides by some that are nothing but rounding beside the largest.

    Only where the same operation makes updates that agree in that step: else it is the rule that differs.
    """
    side, told = apart.side, apart.side.numbers.statistics
    if not side.updates[row] or any(side.numbers.size[each] > 1 for each in apart.unknown_parents(row)):
        return False
    divisors = (each for each in side.edges.parents[row] if side.updates[each] and side.numbers.size[each] > 1)
    uneven = any(0 <= told[each, LOW] <= tolerance * told[each, HIGH] for each in divisors)
    return uneven and bool((_alike(apart, row) & (apart.label >= 0) & ~apart.constant).any())


def _alike(apart: Apart, row: int) -> Bools:
    """The other updates of a step that an operation of the same type makes."""
    side = apart.side
    sites = [site for site, each in side.program.sites.items() if each.op_type == side.site(row).op_type]
    alike: Bools = side.updates & (side.numbers.step == side.numbers.step[row]) & np.isin(side.numbers.site, sites)
    return alike & (side.numbers.size > 1)
