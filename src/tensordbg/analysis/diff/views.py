"""Forks at a part of a value that one framework has as a view, which is not recorded: what is computed counts."""

from __future__ import annotations

from tensordbg.analysis.diff.apart import Apart, alike, are_of_one_kind
from tensordbg.analysis.diff.kernels import VIEWED
from tensordbg.analysis.diff.written_out import composite_of
from tensordbg.operations.frameworks import TORCH
from tensordbg.operations.traits import Trait


def past_views(a: Apart, b: Apart, fork_a: int, fork_b: int) -> tuple[int, int]:
    """Goes on from forks at parts of a value to what is computed of them, where the other run has views for them.

    Of several parts, as the halves of a value are, that is taken of which the like is computed as in the other run,
    else one of which something of another kind is; what is of one kind and of another shape is made of another part.
    """
    frameworks = a.side.site(fork_a).framework, b.side.site(fork_b).framework
    if frameworks[0] == frameworks[1] or TORCH not in frameworks:
        return fork_a, fork_b
    if b.side.operation(fork_b).kind in VIEWED:
        pairs = [(fork_a, row) for row in _computed(b, fork_b)]
    elif a.side.operation(fork_a).kind in VIEWED:
        pairs = [(row, fork_b) for row in _computed(a, fork_a)]
    else:
        return fork_a, fork_b
    chosen = [pair for pair in pairs if _are_alike(a, b, *pair)] or [pair for pair in pairs if _are_unlike(a, b, *pair)]
    return chosen[0] if chosen else (fork_a, fork_b)


def stands_for_nothing(a: Apart, b: Apart, row_a: int, row_b: int) -> bool:
    """Tells whether one of two values is a part of another, which the framework of the other run has as a view."""
    rows = ((a.side, row_a, b.side, row_b), (b.side, row_b, a.side, row_a))
    return any(
        side.operation(row).kind in VIEWED
        and TORCH == other.site(beside).framework != side.site(row).framework
        and other.operation(beside).kind not in VIEWED
        for side, row, other, beside in rows
    )


def _computed(apart: Apart, fork: int) -> list[int]:
    """The first values that are computed of a part, and of the parts beside it."""
    side = apart.side
    beside = (
        row for row in apart.regions.forks
        if side.numbers.site[row] == side.numbers.site[fork] and side.edges.parents[row] == side.edges.parents[fork]
    )  # fmt: skip
    ahead = ([row for row in apart.ahead(part) if not side.operation(row).has(Trait.REARRANGES)] for part in beside)
    return [rows[0] for rows in ahead if rows]


def _are_alike(a: Apart, b: Apart, row_a: int, row_b: int) -> bool:
    """Tells whether two values are of one kind, be it one operation or a part of one that is written out."""
    of_a, of_b = composite_of(a, row_a), composite_of(b, row_b)
    if of_a is None or of_b is None:
        return of_a is of_b and alike(a, b, row_a, row_b)
    return of_a.kind is of_b.kind


def _are_unlike(a: Apart, b: Apart, row_a: int, row_b: int) -> bool:
    """Tells whether two values are of operations of unlike kinds, and neither belongs to one that is written out."""
    written_out = composite_of(a, row_a) or composite_of(b, row_b)
    return written_out is None and not are_of_one_kind(a, b, row_a, row_b)
