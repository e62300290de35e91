"""Forks at an operation that one run writes out: they are paired as a whole, or one of them is missing as a whole.

Else a part of a formula would stand beside what has only its size in common with it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensordbg.analysis.diff.apart import Apart, Both, Pair, alike
from tensordbg.analysis.diff.written_out import Composite, composite_of
from tensordbg.operations.traits import Trait

_SOON = 8
"""So many values from a fork on are looked at for the operation of the other run."""


def composed_counterpart(a: Apart, b: Apart, ahead_a: Sequence[int], ahead_b: Sequence[int]) -> Pair | None:
    """Pairs two forks of which one belongs to an operation that a run writes out, or has as one.

    Args:
        a: The reference.
        b: The other run.
        ahead_a: What lies ahead of the fork of A, which comes first.
        ahead_b: The same of B.
    """
    of_a, of_b = composite_of(a, ahead_a[0]), composite_of(b, ahead_b[0])
    if of_a is not None and of_b is not None and of_a.kind is of_b.kind:
        return Both(a, b).pair(of_a.result, of_b.result) if of_a.whole != of_b.whole else None
    forward, back = Both(a, b), Both(b, a, turned=True)
    for both, ahead, theirs in ((forward, ahead_a, of_b), (back, ahead_b, of_a)):
        before = None if theirs is None else _with_extra(both.mine, ahead, theirs)
        if before is not None and theirs is not None:
            return both.pair(before[0], theirs.result, extra=before[1])
    for both, mine, fork in ((forward, of_a, ahead_b[0]), (back, of_b, ahead_a[0])):
        if mine is not None and not mine.whole:
            followed = both.mine.followed(mine.result)
            behind = next((each for each in followed if alike(both.mine, both.other, each, fork)), None)
            return None if behind is None else both.pair(behind, fork, extra=mine.rows)
    return None


def _with_extra(apart: Apart, ahead: Sequence[int], wanted: Composite) -> tuple[int, tuple[int, ...]] | None:
    """Finds the same operation a little farther ahead, and what is computed before it."""
    for row in ahead[1 : _SOON + 1]:
        found = composite_of(apart, row)
        if found is None or found.kind is not wanted.kind or (found.whole and wanted.whole):
            continue
        if found.source not in ahead[:_SOON] or ahead[0] in found.rows:
            continue
        way = _way(apart, ahead, found.source)
        if not any(apart.side.operation(each).has(Trait.CONTRACTS) for each in way):  # else it is another layer's
            return found.result, way
    return None


def _way(apart: Apart, ahead: Sequence[int], end: int) -> tuple[int, ...]:
    """The values ahead from which one is made, and that one."""
    needed = {end}
    for row in sorted(ahead, reverse=True):
        if row in needed:
            needed.update(each for each in apart.side.edges.parents[row] if each in ahead)
    return tuple(row for row in ahead if row in needed)
