"""Gradients and updates that rounding may have put apart: no difference by themselves.

A gradient is a sum of much that cancels out, so its rounding is beside less than that of the values before it, and the
frameworks sum up in unlike orders. A tolerance that is learned from all values is a little small for a few of them.

An optimizer that divides by what it keeps of a gradient, as Adam does, makes steps as large as all others of elements
that are zero but for rounding: the bias of an attention's keys has no other gradients.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.diff.apart import Apart, Pair, distance_of
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.matching import FAR
from tensordbg.analysis.diff.numbers import HIGH, LOW, SQUARES
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_ROOM = 3.0
"""So many times the tolerance."""
_DRIFTED = 4.0
"""So many times as far as its terms, beside the largest of them, a mean may be apart."""
_BINARY = 2
"""More values than these go into no single operation of arithmetic."""
_DIGITS = 1e-4
"""Gradients of which not all cancels out are that near to each other."""
_OF_RUNNING_SUM = 1e-3
"""... and if they are summed up one by one, that near."""
_WALKED = 40
"""So many values before an update are looked at for its gradient."""
_ROUNDINGS = 4.0
"""So many roundings of the largest value, by the square root of their number, are left of a sum that cancels out."""


def without_doubtful(a: Apart, b: Apart, pairs: list[Pair], tolerance: float) -> list[Pair]:
    """Leaves out pairs of gradients, and of what optimizers make of them, that rounding may have put apart."""
    kept = [
        pair for pair in pairs
        if not (_is_amplified(b, pair.b, tolerance) or _are_cancelled(a, b, pair))
    ]  # fmt: skip
    sure = [pair for pair in kept if not (is_made_of_rounding(a, b, pair) or _is_less_than_summed(a, b, pair))]
    if a.side.frameworks != b.side.frameworks:
        gradients, room = (a.side.backward, b.side.backward), _ROOM * tolerance
        sure = [pair for pair in sure if pair.distance > room or not (gradients[0][pair.a] and gradients[1][pair.b])]
    return _led(b, pairs, sure)


def _led(b: Apart, before: list[Pair], pairs: list[Pair]) -> list[Pair]:
    """Has the first output of an operation stand for the others that it was told beside, where that was left out."""
    site, step = b.side.numbers.site, b.side.numbers.step
    told = {(int(site[pair.b]), int(step[pair.b])) for pair in pairs if not pair.beside}
    left = {(int(site[pair.b]), int(step[pair.b])) for pair in before if not pair.beside} - told
    result = []
    for pair in pairs:
        key = int(site[pair.b]), int(step[pair.b])
        result.append(replace(pair, beside=False) if key in left else pair)
        left.discard(key)
    return result


def _are_cancelled(a: Apart, b: Apart, pair: Pair) -> bool:
    """Tells whether two gradients are sums of values of which nothing but their rounding is left.

    One framework sums up in an operation of its own what another does in the one that takes all gradients of a layer.
    Of values that are put beside each other for want of others, it is enough that one is such a sum; and of others,
    where the other run has one of that size as well: then that is the partner.
    """
    largest, left = (_largest(a, pair.a), _largest(b, pair.b)), (_left(a, pair.a), _left(b, pair.b))
    if max(largest) <= max(left) or _is_normalization_less_than(max(left), a, b, pair):
        return True
    one, other = (largest[0] <= left[0], largest[1] <= left[1])
    if pair.loosely or pair.distance >= FAR:
        return one or other
    return (one and _has_cancelled(b, pair.b)) or (other and _has_cancelled(a, pair.a))


def _is_normalization_less_than(left: float, a: Apart, b: Apart, pair: Pair) -> bool:
    """Tells whether gradients of a normalization, which subtracts much, are no farther apart than what rounding leaves.

    Only its last digits are that: what is farther apart, beside itself, differs for another reason. That of its bias
    is a sum of all places, which one run takes one after the other.
    """
    both = (a, pair.a), (b, pair.b)
    if not any(each.side.operation(row).gradient_of is Kind.NORMALISE for each, row in both):
        return False
    apart = pair.distance * _largest(b, pair.b)
    if pair.distance <= _DIGITS and apart <= left:
        return True
    return pair.distance <= _OF_RUNNING_SUM and apart <= max(_left_of_running_sum(each, row) for each, row in both)


def _left_of_running_sum(apart: Apart, row: int) -> float:
    """How far rounding puts gradients that are summed up one by one: each addition rounds all that was added before.

    Behind a mean of all places a gradient has one value at all of them, and all those roundings one direction.
    """
    side, size, told = apart.side, apart.side.numbers.size, apart.side.numbers.statistics
    summed = [each for each in side.edges.parents[row] if side.backward[each] and size[each] > size[row]]
    magnitudes = (np.sqrt(told[each, SQUARES] * size[each]) * size[each] / size[row] for each in summed)
    return float(side.numbers.rounding / 2 * max(magnitudes, default=0.0) / size[row])


def _has_cancelled(apart: Apart, row: int) -> bool:
    """Tells whether nothing but rounding is left of another gradient of a step that is as large as one."""
    side, size, step = apart.side, apart.side.numbers.size, apart.side.numbers.step
    alike = side.backward & (size == size[row]) & (step == step[row]) & (apart.label < 0) & ~apart.constant
    rows = np.flatnonzero(alike).tolist()
    return any(each != row and _largest(apart, each) <= _left(apart, each) for each in rows[:_WALKED])


def _left(apart: Apart, row: int) -> float:
    """The largest value that rounding leaves of a gradient: that of a sum, or of a normalization where that cancels."""
    side, size = apart.side, apart.side.numbers.size
    if not side.backward[row] or not _adds_up(apart, row):
        return _left_of_sum(apart, row)
    parents = side.edges.parents[row]
    added = max((_largest(apart, each) for each in parents if side.backward[each]), default=-1.0)
    count = max(float(max(size[each] for each in parents) / size[row]), 1.0)
    return float(_ROUNDINGS * side.numbers.rounding * added * np.sqrt(count) * _scaled_by(apart, row))


def _scaled_by(apart: Apart, row: int) -> float:
    """Gives by how much a normalization multiplies a gradient, its rounding too: one over the deviation, if noted."""
    side = apart.side
    if side.operation(row).gradient_of is not Kind.NORMALISE:
        return 1.0
    noted = [each for each in side.edges.parents[row] if side.operation(each).kind is Kind.NORMALISE]
    positive = [each for each in noted if side.numbers.statistics[each, LOW] > 0]
    return max((_largest(apart, each) for each in positive), default=1.0)


def _adds_up(apart: Apart, row: int) -> bool:
    """Tells whether a gradient is a sum of others, element by element; a kernel may have made it of many values."""
    side, operation = apart.side, apart.side.operation(row)
    given = [each for each in side.edges.parents[row] if side.numbers.size[each] > 1]
    return operation.kind is Kind.ADD or operation.gradient_of is Kind.NORMALISE or len(given) > _BINARY


def _left_of_sum(apart: Apart, row: int) -> float:
    """The largest value that rounding leaves of a gradient that is a sum of what cancels out; -1 of others.

    The gradient of a bias is one of what comes back to it, also where a kernel computes that gradient and others.
    """
    side, size = apart.side, apart.side.numbers.size
    if not side.backward[row] or side.operation(row).has(Trait.REARRANGES):
        return -1.0
    parents = side.edges.parents[row]
    is_sum = len(parents) == 1 or len(side.shape(row) or ()) == 1
    summed = [each for each in parents if side.backward[each] and size[each] > size[row]] if is_sum else []
    roundings = (_largest(apart, each) * np.sqrt(size[each] / size[row]) for each in summed)
    return float(_ROUNDINGS * side.numbers.rounding * max(roundings, default=-1.0))


def _largest(apart: Apart, row: int) -> float:
    return float(np.abs(apart.side.numbers.statistics[row, [LOW, HIGH]]).max())


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


def _is_less_than_summed(a: Apart, b: Apart, pair: Pair) -> bool:
    """Tells whether two means that cancel out are no farther apart than what they are taken of, which has drifted."""
    given = [[each for each in apart.side.edges.parents[row] if apart.side.numbers.size[each] > 1]
             for apart, row in ((a, pair.a), (b, pair.b))]  # fmt: skip
    kinds = {apart.side.operation(row).kind for apart, row in ((a, pair.a), (b, pair.b))}
    if kinds != {Kind.MEAN} or [len(each) for each in given] != [1, 1] or a.label[given[0][0]] < 0:
        return False
    room = _DRIFTED * distance_of(a, b, given[0][0], given[1][0]) * _largest(b, given[1][0])
    return bool(a.label[given[0][0]] == b.label[given[1][0]]) and pair.distance * _largest(b, pair.b) <= room


def is_made_of_rounding(a: Apart, b: Apart, pair: Pair) -> bool:
    """Tells whether nothing but rounding parts two updates of a parameter, or what is made of it.

    So it is with a bias before a batch normalization: its gradient is a sum that cancels out, of which Adam makes steps
    as large as all others.
    """
    both = (a, pair.a), (b, pair.b)
    if all(apart.side.updates[row] for apart, row in both):
        return any(_has_cancelled_gradient(apart, row) for apart, row in both)
    unknown = [
        [each for each in apart.unknown_parents(row) if apart.side.numbers.size[each] > 1] for apart, row in both
    ]
    return any(
        bool(rows) and all(_is_rounded(apart, each) for each in rows)
        for (apart, _), rows in zip(both, unknown, strict=True)
    )


def _is_rounded(apart: Apart, row: int) -> bool:
    """Tells whether a value is a parameter, as an optimizer has made it or as it is read, of which that holds."""
    side = apart.side
    if side.updates[row]:
        return _has_cancelled_gradient(apart, row)
    made = (side.written.get((int(side.numbers.step[row]) - 1, each)) for each in side.site(row).reads)
    return any(each is not None and _has_cancelled_gradient(apart, each) for each in made)


def _has_cancelled_gradient(apart: Apart, row: int) -> bool:
    """Tells whether the gradient that an optimizer makes an update of is nothing but rounding."""
    side, size, step = apart.side, apart.side.numbers.size, apart.side.numbers.step

    def back(each: int) -> list[int]:
        parents = side.edges.parents[each] if side.updates[each] else ()
        return [parent for parent in parents if size[parent] == size[row] and step[parent] == step[row]]

    gradients = [each for each in reached(row, back, _WALKED) if side.backward[each]]
    return bool(gradients) and all(_largest(apart, each) <= _left_of_sum(apart, each) for each in gradients)


def _alike(apart: Apart, row: int) -> Bools:
    """The other updates of a step that an operation of the same type makes."""
    side = apart.side
    sites = [site for site, each in side.program.sites.items() if each.op_type == side.site(row).op_type]
    alike: Bools = side.updates & (side.numbers.step == side.numbers.step[row]) & np.isin(side.numbers.site, sites)
    return alike & (side.numbers.size > 1)
