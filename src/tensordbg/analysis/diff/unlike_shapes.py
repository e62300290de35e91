"""Operations of one kind that make values of unlike shapes of equal ones, or one what the other makes in parts."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Both, Pair, are_of_one_kind, are_of_one_size
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_EXTRA = 4
"""One run rearranges what goes in by no more than so many operations before."""


def are_shaped_unlike(a: Apart, b: Apart, fork_a: int, fork_b: int) -> bool:
    """Tells whether operations of one kind make of the same values, and of those alone, values of unlike sizes."""
    taken = a.taken_whole(fork_a)
    of_same = bool(taken) and taken == b.taken_whole(fork_b) and not a.side.backward[fork_a]
    alone = not (a.unknown_parents(fork_a) or b.unknown_parents(fork_b))
    unlike = a.side.numbers.size[fork_a] != b.side.numbers.size[fork_b]
    one_kind = unlike and of_same and alone and are_of_one_kind(a, b, fork_a, fork_b)
    return bool(one_kind and not are_in_parts(a, b, fork_a, fork_b))


def are_in_parts(a: Apart, b: Apart, fork_a: int, fork_b: int) -> bool:
    """Tells whether one run computes at once what the other does in equal pieces: a sequence, or a batch in parts."""
    sizes = int(a.side.numbers.size[fork_a]), int(b.side.numbers.size[fork_b])
    pieces, fork = (a, fork_a) if sizes[0] < sizes[1] else (b, fork_b)
    side, (small, large) = pieces.side, sorted(sizes)
    if small == large or large % small:
        return False
    if int(side.numbers.step[fork]) in side.shared_steps:
        return True  # the other pieces are those of other processes
    shared = a.taken_whole(fork_a) & b.taken_whole(fork_b)
    alike_rows = (side.kinds == side.kinds[fork]) & (side.numbers.size == small)
    rows = np.flatnonzero(alike_rows & (side.numbers.step == side.numbers.step[fork])).tolist()
    return sum(bool(shared & pieces.taken_whole(row)) for row in rows) >= large // small


def shaped_unlike_behind(a: Apart, b: Apart, ahead_a: list[int], ahead_b: list[int]) -> Pair | None:
    """Pairs an operation with one of its kind and another size, for which one run rearranges what goes in before.

    As where only one puts zeros around an image, so that the result of its convolution is larger.
    """
    sides = (Both(a, b), ahead_a, ahead_b[0]), (Both(b, a, turned=True), ahead_b, ahead_a[0])
    for both, ahead, fork in sides:
        for depth, row in enumerate(ahead[: _EXTRA + 1]):
            if _resizes(both.mine, ahead[:depth]) and _are_behind(both, row, fork):
                return both.pair(row, fork, extra=tuple(ahead[:depth]))
            if not both.mine.side.operation(row).has(Trait.REARRANGES):
                break
    return None


def _resizes(apart: Apart, rows: list[int]) -> bool:
    """Whether one of the values has more or fewer elements than the one that it is made of, as behind a padding.

    What is joined may be a parameter of which each process has a part.
    """
    size, parents = apart.side.numbers.size, apart.side.edges.parents
    resized = (row for row in rows if parents[row] and all(size[each] != size[row] for each in parents[row]))
    return any(apart.side.operation(row).kind not in (Kind.CONCATENATE, Kind.PACK) for row in resized)


def _are_behind(both: Both, row: int, fork: int) -> bool:
    """Whether two values of unlike sizes are computed by operations of one kind of a value that both runs have."""
    mine, other = both.mine, both.other
    shared = mine.taken_whole(row) & other.taken_whole(fork)
    one_kind = are_of_one_kind(mine, other, row, fork) and not are_of_one_size(mine, other, row, fork)
    forward = not (mine.side.backward[row] or mine.side.kept[row])
    return bool(shared and one_kind and forward and not are_in_parts(mine, other, row, fork))
