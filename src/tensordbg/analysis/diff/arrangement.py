"""Differences of where elements lie: what was measured of the whole does not tell them, but what is made of it does."""

from __future__ import annotations

from collections.abc import Iterable

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.numbers import HIGH, INFINITIES, LOW
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_FILLING = 1e4
"""Numbers so large are what masks fill in, mostly."""
_ONE_BY_ONE = frozenset(
    {Kind.TANH, Kind.SIGMOID, Kind.RELU, Kind.GELU, Kind.SOFTPLUS, Kind.EXP, Kind.MULTIPLY, Kind.ADD}
)
"""Operations that make of each element one: a smaller result is that of a part."""
DRIFTING = 1e-2
"""What is nearer drifts apart in a training; elements in another order make a product that has nothing of the other."""
_WALKED = 8
"""So many values are walked back through to the whole that something is made of a part of."""


def in_another_order(a: Apart, b: Apart, pair: Pair) -> bool:
    """Tells whether two products of the same values differ, so that the elements of one are in another order."""
    if pair.distance < DRIFTING:
        return False
    contract = all(apart.side.operation(row).has(Trait.CONTRACTS) for apart, row in ((a, pair.a), (b, pair.b)))
    known = not (a.unknown_parents(pair.a) or b.unknown_parents(pair.b))
    mine, theirs = a.taken_whole(pair.a), b.taken_whole(pair.b)
    return contract and known and bool(mine) and (mine <= theirs or theirs <= mine)


def other_parts(a: Apart, b: Apart, pair: Pair) -> bool:
    """Tells whether two operations go on from parts of one value, and not from the same: gates, heads."""
    mine, theirs = a.taken_whole(pair.a), b.taken_whole(pair.b)
    if mine == theirs:
        return _takes_part(a, pair.a) and _takes_part(b, pair.b)
    return bool(_wholes(a, pair.a, mine - theirs) & _wholes(b, pair.b, theirs - mine))


def _takes_part(apart: Apart, row: int) -> bool:
    size = apart.side.numbers.size
    whole = [size[each] for each in apart.side.edges.parents[row] if size[each] > 1]
    return apart.side.operation(row).kind in _ONE_BY_ONE and bool(whole) and size[row] < max(whole)


def _wholes(apart: Apart, row: int, labels: frozenset[int]) -> frozenset[int]:
    """The labels of larger values of which some inputs of an operation are made element by element."""
    side = apart.side
    size, parents = side.numbers.size, side.edges.parents

    def back(each: int) -> Iterable[int]:
        return parents[each] if side.operation(each).kind in _ONE_BY_ONE else ()

    given = [each for each in parents[row] if int(apart.label[each]) in labels]
    found = (each for begin in given for each in reached(begin, back, _WALKED) if size[each] > size[begin])
    return frozenset(int(apart.label[each]) for each in found if apart.label[each] >= 0)


def fill_unlike(a: Apart, b: Apart, pair: Pair) -> bool:
    """Tells whether two operations fill large numbers into values that both runs have, and not in the same places."""
    return _fills(a, pair.a) and _fills(b, pair.b) and bool(a.taken_whole(pair.a) & b.taken_whole(pair.b))


def _fills(apart: Apart, row: int) -> bool:
    """Whether a value is filled, and one that it is made of and both runs have is not."""
    known = (each for each in apart.side.edges.parents[row] if apart.label[each] >= 0)
    size = apart.side.numbers.size
    return _is_filled(apart, row) and any(size[each] > 1 and not _is_filled(apart, each) for each in known)


def _is_filled(apart: Apart, row: int) -> bool:
    told = apart.side.numbers.statistics[row]
    return bool(told[INFINITIES] > 0 or max(abs(told[LOW]), abs(told[HIGH])) >= _FILLING)
