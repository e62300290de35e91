"""Operations that are given another of the values that both runs have: two values are exchanged, or one is mistaken.

Both runs have all that goes in, so nothing before is apart; and what the one operation is made of is not what the other
is, so the two don't meet as forks of equal values do.
"""

from __future__ import annotations

from tensordbg.analysis.diff.apart import Apart, Pair, alike, are_of_one_kind, distance_of
from tensordbg.analysis.diff.first_difference import in_order

_SOON = 8
"""So many values from a fork on are looked at for what the other run's fork is given."""


def with_exchanged(a: Apart, b: Apart, pairs: list[Pair]) -> list[Pair]:
    """Adds forks of a forward pass that have nothing in common, and yet correspond, to where the runs part."""
    left, found = _without_counterpart(a, b), []
    for mine in _without_counterpart(b, a):
        met = [(not alike(a, b, fork, mine), fork) for fork in left if _corresponds(a, b, fork, mine)]
        if met:
            fork = min(met)[1]
            left.remove(fork)
            found.append(Pair(fork, mine, distance_of(a, b, fork, mine)))
    return in_order(b, [*pairs, *found]) if found else pairs


def have_other_inputs(a: Apart, b: Apart, pair: Pair) -> bool:
    """Tells whether two operations take only what both runs have, and each something that the other does not."""
    mine, theirs = a.taken_whole(pair.a), b.taken_whole(pair.b)
    if any(apart.side.numbers.size[each] > 1 for apart, row in ((a, pair.a), (b, pair.b))
           for each in apart.unknown_parents(row)):  # fmt: skip
        return False
    one_kind = are_of_one_kind(a, b, pair.a, pair.b)
    return bool(mine and theirs) and (not mine & theirs or (one_kind and bool(mine - theirs and theirs - mine)))


def _without_counterpart(apart: Apart, other: Apart) -> list[int]:
    """The forks of a forward pass that share nothing with any of the other run's."""
    known = frozenset[int]().union(*(other.taken(fork) for fork in _forward(other)))
    return [row for row in _forward(apart) if apart.side.numbers.size[row] > 1 and not apart.taken(row) & known]


def _forward(apart: Apart) -> list[int]:
    side = apart.side
    return [fork for fork in apart.regions.forks if not (side.kept[fork] or side.backward[fork])]


def _corresponds(a: Apart, b: Apart, fork_a: int, fork_b: int) -> bool:
    """Tells whether each run soon takes what the other's fork is given, or both are of one kind and go on alike."""
    numbers = a.side.numbers, b.side.numbers
    if numbers[0].step[fork_a] != numbers[1].step[fork_b] or numbers[0].size[fork_a] != numbers[1].size[fork_b]:
        return False
    soon_a, soon_b = _taken_soon(a, fork_a), _taken_soon(b, fork_b)
    mine, theirs = a.taken_whole(fork_a), b.taken_whole(fork_b)
    if mine <= soon_b and theirs <= soon_a:
        return True
    if not alike(a, b, fork_a, fork_b):
        return False
    return bool(soon_a & soon_b) or (mine <= _taken_behind(b, fork_b) and theirs <= _taken_behind(a, fork_a))


def _taken_soon(apart: Apart, fork: int) -> frozenset[int]:
    return frozenset[int]().union(*(apart.taken_whole(row) for row in apart.ahead(fork)[:_SOON]))


def _taken_behind(apart: Apart, fork: int) -> frozenset[int]:
    """What is taken soon, with what that is made of: a softmax may stand in for its logits."""
    rows = (parent for row in apart.ahead(fork)[:_SOON] for parent in apart.side.edges.parents[row])
    return _taken_soon(apart, fork).union(*(apart.taken_whole(row) for row in rows if apart.label[row] >= 0))
