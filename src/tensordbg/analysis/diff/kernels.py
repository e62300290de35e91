"""Operations that one run shows and the other computes inside a compiled kernel, or as a view: they are not missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.fused import fused_before
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import Site
from tensordbg.operations.frameworks import TORCH
from tensordbg.operations.kinds import Kind

_COPIED = frozenset({Kind.BROADCAST})
"""What one run copies, the other may only look at otherwise: repeated heads are a view and a copy, or one copy."""
VIEWED = frozenset({Kind.SLICE, Kind.UNPACK})
"""What PyTorch has as views, which are not recorded."""
_CHOOSING = frozenset({Kind.SELECT, Kind.MASKED_FILL})
_PUT_TOGETHER = frozenset({Kind.CONCATENATE, Kind.PACK})
_WALKED = 16
"""So many values before one are looked at."""


def without_seeming(a: Apart, b: Apart, pair: Pair) -> Pair:
    """Leaves out of what only one run seems to compute what the other does unseen."""
    return replace(
        pair, extra_a=_left(a, pair.extra_a, (b, pair.b)), extra_b=_left(b, pair.extra_b, (a, pair.a))
    )  # fmt: skip


def _left(apart: Apart, extra: tuple[int, ...], other: tuple[Apart, int]) -> tuple[int, ...]:
    if not extra:
        return ()
    known = kinds_in_kernel(*other)
    known |= (_CHOOSING if known & _CHOOSING else frozenset()) | _COPIED
    known |= VIEWED if other[0].side.site(other[1]).framework == TORCH else frozenset()
    return tuple(
        row for row in extra if apart.side.operation(row).kind not in known and not _repeats(apart, row)
    )  # fmt: skip


def _repeats(apart: Apart, row: int) -> bool:
    """Tells whether a value is put together of one other alone, which the other run may look at otherwise."""
    given = [each for each in apart.side.edges.parents[row] if apart.side.numbers.size[each] > 1]
    return len(given) == 1 and apart.side.operation(row).kind in _PUT_TOGETHER


def kinds_in_kernel(apart: Apart, row: int) -> frozenset[Kind]:
    """The kinds of the operations that kernels compute and keep to themselves on the way to a value."""
    return frozenset(operation_of(site).kind for site in in_kernels(apart, row))


def in_kernels(apart: Apart, row: int) -> Iterator[Site]:
    """The operations that kernels keep to themselves between what both runs have and a value, the nearest first."""
    for each in reached(row, apart.unknown_parents, _WALKED):
        yield from fused_before(apart.side.values, int(apart.side.numbers.site[each]))
