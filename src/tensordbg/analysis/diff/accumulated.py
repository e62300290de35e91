"""Gradients that one run adds up with others before its optimizer takes them, and the other run does not.

So it is where a parameter is used twice and one use is detached, and where gradients of the step before are left over.
"""

from __future__ import annotations

from collections.abc import Iterator

from tensordbg.analysis.diff.apart import Apart, Pair, alike, distance_of
from tensordbg.operations.kinds import Kind

_ADDING = frozenset({Kind.ADD, Kind.ADD_MANY})


def accumulated(a: Apart, b: Apart) -> Iterator[Pair]:
    """Pairs updates of which one is made of a gradient, and the other of its sum with others."""
    for total, fork in _met(a, b):
        for update in _updates(a, total):
            if alike(a, b, update, fork):
                yield Pair(update, fork, distance_of(a, b, update, fork), extra_a=(total,))
                break
    for total, fork in _met(b, a):
        for update in _updates(b, total):
            if alike(a, b, fork, update):
                yield Pair(fork, update, distance_of(a, b, fork, update), extra_b=(total,))
                break


def _met(mine: Apart, other: Apart) -> Iterator[tuple[int, int]]:
    """The sums of gradients of one run, each with an update of the other that is made of a part of it."""
    sums = [row for row in sorted(mine.regions.lasting) if _is_sum(mine, row)]
    updates = [fork for fork in other.regions.forks if other.side.updates[fork]]
    for row in sums:
        for fork in updates:
            same_step = mine.side.numbers.step[row] == other.side.numbers.step[fork]
            same_size = mine.side.numbers.size[row] == other.side.numbers.size[fork]
            if same_step and same_size and _gradients(mine, row) & _gradients(other, fork):
                yield row, fork


def _is_sum(apart: Apart, row: int) -> bool:
    return bool(apart.side.backward[row]) and apart.side.operation(row).kind in _ADDING


def _gradients(apart: Apart, row: int) -> frozenset[int]:
    side, size = apart.side, apart.side.numbers.size
    given = (each for each in side.edges.parents[row] if side.backward[each] and size[each] == size[row])
    return frozenset(int(apart.label[each]) for each in given if apart.label[each] >= 0)


def _updates(apart: Apart, row: int) -> Iterator[int]:
    return (child for child in apart.side.edges.children[row] if apart.side.updates[child])
