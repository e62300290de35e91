"""Differences of where elements lie: what was measured of the whole does not tell them, but what is made of it does."""

from __future__ import annotations

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.numbers import HIGH, INFINITIES, LOW
from tensordbg.operations.traits import Trait

_FILLING = 1e4
"""Numbers so large are what masks fill in, mostly."""


def in_another_order(a: Apart, b: Apart, pair: Pair) -> bool:
    """Tells whether two products of the same values differ, so that the elements of one are in another order."""
    contract = all(apart.side.operation(row).has(Trait.CONTRACTS) for apart, row in ((a, pair.a), (b, pair.b)))
    known = not (a.unknown_parents(pair.a) or b.unknown_parents(pair.b))
    mine, theirs = a.taken_whole(pair.a), b.taken_whole(pair.b)
    return contract and known and bool(mine) and (mine <= theirs or theirs <= mine)


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
