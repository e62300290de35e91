"""Gradients that one run adds up with others before its optimizer takes them, and the other run does not.

So it is where a parameter is used twice and one use is detached, and where gradients of the step before are left over.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Both, Pair, alike, are_of_one_size
from tensordbg.operations.kinds import Kind

_ADDING = frozenset({Kind.ADD, Kind.ADD_MANY})
_NUMBERS = [list(Kind).index(kind) for kind in _ADDING]


def accumulated(a: Apart, b: Apart) -> Iterator[Pair]:
    """Pairs updates, or further sums, of which one is made of a gradient, and the other of its sum with others."""
    for both in (Both(a, b), Both(b, a, turned=True)):
        for total, fork in _met(both.mine, both.other):
            for update in _goes_on(both.mine, total, both.other, fork):
                if _correspond(both.mine, both.other, update, fork):
                    yield both.pair(update, fork, extra=(total,))
                    break


def _correspond(mine: Apart, other: Apart, update: int, fork: int) -> bool:
    """Tells whether two values may be made of a gradient alike: each framework has formulas of its own for updates."""
    of_two = mine.side.frameworks != other.side.frameworks and bool(other.side.updates[fork])
    return alike(mine, other, update, fork) or (of_two and are_of_one_size(mine, other, update, fork))


def _met(mine: Apart, other: Apart) -> Iterator[tuple[int, int]]:
    """The sums of gradients of one run, each with an update or another sum of the other that takes a part of it."""
    takers: dict[tuple[int, int], int] = {}
    for fork in other.regions.forks:
        if other.side.updates[fork] or _is_sum(other, fork):
            for label in _gradients(other, fork):
                takers.setdefault((int(other.side.numbers.step[fork]), label), fork)
    if takers:
        sums = np.flatnonzero(mine.side.backward & np.isin(mine.side.kinds, _NUMBERS)).tolist()
        for row in (each for each in sums if each in mine.regions.lasting):
            parts = _gradients(mine, row)
            keys = [(int(mine.side.numbers.step[row]), label) for label in sorted(parts)]
            found = (takers[key] for key in keys if key in takers)
            whole = len(parts) == len(_parts(mine, row))  # else the other run has not even made one of them
            yield from ((row, fork) for fork in found if not (whole and parts <= _gradients(other, fork)))


def _is_sum(apart: Apart, row: int) -> bool:
    return bool(apart.side.backward[row]) and apart.side.operation(row).kind in _ADDING


def _gradients(apart: Apart, row: int) -> frozenset[int]:
    return frozenset(int(apart.label[each]) for each in _parts(apart, row) if apart.label[each] >= 0)


def _parts(apart: Apart, row: int) -> list[int]:
    """The gradients that a value is made of."""
    side, size = apart.side, apart.side.numbers.size
    return [each for each in side.edges.parents[row] if side.backward[each] and size[each] == size[row]]


def _goes_on(mine: Apart, total: int, other: Apart, fork: int) -> Iterator[int]:
    """What is made of a sum, as far as it is an update where the fork of the other run is one."""
    wanted = bool(other.side.updates[fork])
    return (
        child for child in mine.side.edges.children[total]
        if bool(mine.side.updates[child]) == wanted and (wanted or _is_sum(mine, child))
    )  # fmt: skip
