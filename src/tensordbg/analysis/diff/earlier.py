"""Forks of B before the first place at which the runs were found to part, whose counterparts in A are no forks.

What A computes there may be made of something else besides that B has not, as where only A has a bias: so it is told
as made from what forked before it.
"""

from __future__ import annotations

from collections.abc import Iterator

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.first_difference import counterpart


def with_earlier(a: Apart, b: Apart, pairs: list[Pair]) -> list[Pair]:
    """Puts the first place of an earlier step before those at which the runs part; none where they don't part."""
    if not pairs or pairs[0].in_parts:
        return pairs
    step = b.side.numbers.step
    first = int(step[pairs[0].b])
    early = (row for row in b.regions.forks if step[row] < first and not (b.side.kept[row] or b.side.backward[row]))
    for fork in early:
        found = next(_met(a, b, fork), None)
        if found is not None:
            return [found, *pairs]
    return pairs


def _met(a: Apart, b: Apart, fork: int) -> Iterator[Pair]:
    """Pairs a fork with what A makes of the same values, what shares most with it first."""
    labels, size, side = b.taken_whole(fork), b.side.numbers.size[fork], a.side
    forward = (row for row in sorted(a.regions.lasting) if not (side.kept[row] or side.backward[row]))
    rows = (row for row in forward if side.numbers.step[row] == b.side.numbers.step[fork])
    met = [(-len(labels & a.taken_whole(row)), side.numbers.size[row] != size, row) for row in rows]
    for shared, _, row in sorted(met):
        pair = counterpart(a, b, row, fork) if shared else None
        if pair is not None:
            yield pair
