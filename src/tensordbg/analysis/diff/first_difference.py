"""The first operation at which the two runs part: a fork of one, and what the other computes in its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.diff.accumulated import accumulated
from tensordbg.analysis.diff.apart import Apart, Both, Pair, alike, are_of_one_kind, distance_of
from tensordbg.analysis.diff.composed import composed_counterpart
from tensordbg.analysis.diff.last_values import last_values
from tensordbg.analysis.diff.losses import (
    by_label,
    is_loss_in_parts,
    losses_ahead,
    unlike_losses_of,
    without_parts_of_losses,
    written_out_losses,
)
from tensordbg.analysis.diff.matching import FAR
from tensordbg.analysis.diff.normalizations_apart import normalizations_apart
from tensordbg.analysis.diff.scaled_losses import scaled_losses
from tensordbg.analysis.diff.unlike_shapes import are_in_parts, are_shaped_unlike, shaped_unlike_behind
from tensordbg.analysis.diff.views import past_views, stands_for_nothing

_ENOUGH = 3
"""Of a long run so many steps are enough in whose forward pass or updates it surely parts."""
_EXTRA = 8
"""One run computes no more than so many operations between two that correspond."""
_PER_OPERATION = 0.5
"""Two values an operation farther from the fork are taken only where they are so much nearer to each other."""
_SURELY_THE_SAME = 0.02
"""... unless they are so near."""
_RECOGNISABLE = 0.5
"""Values of unlike operations that are farther apart are hardly the same value, computed otherwise."""
_LESS_PER_OPERATION = 0.05
"""... and an operation farther from the fork they have to be so much nearer."""


def find_pairs(a: Apart, b: Apart) -> list[Pair]:
    """Finds all places where the runs part, in the order of B; none is made from another.

    Each is a pair of values that differ although they were made from the same.
    """
    pairs = list(_pairs(a, b)) or normalizations_apart(a, b)
    return in_order(b, without_parts_of_losses(a, b, pairs + last_values(a, b, pairs)))


def in_order(b: Apart, pairs: Iterable[Pair]) -> list[Pair]:
    """Sorts places where the runs part: of each step the forward pass, the backward pass and the updates.

    Running statistics come at the end of their step, as nothing else in it is made of them. The rows alone don't say
    it: a graph may read what its optimizer keeps before all else.
    """
    step, backward = b.side.numbers.step, b.side.backward

    def order(pair: Pair) -> tuple[int, bool, bool, bool, bool, int, int]:
        row = pair.b
        update, statistic = b.settles(row)
        return int(step[row]), bool(statistic), update, bool(backward[row]), pair.loosely, row, pair.a

    return sorted(pairs, key=order)


def _pairs(a: Apart, b: Apart) -> Iterator[Pair]:
    yield from unlike_losses_of(a, b)
    yield from scaled_losses(a, b)
    yield from accumulated(a, b)
    yield from _of_forks(a, b)


def _of_forks(a: Apart, b: Apart) -> Iterator[Pair]:
    """Pairs the forks of B with what stands for them in A, in order, until the runs have parted in enough steps.

    Where the runs take a step in unlike parts, what they compute of the parts says nothing.
    """
    forks, told, step = _Forks(a), set[tuple[object, ...]](), b.side.numbers.step
    parted, shared, last = set[int](), a.side.shared_steps ^ b.side.shared_steps, np.iinfo(np.int64).max
    for mine in b.regions.forks:
        if step[mine] > last:
            return
        operation = (int(b.side.numbers.site[mine]), b.side.edges.parents[mine], b.settles(mine))
        fork = forks.met(b, mine)
        pair = None if fork is None else counterpart(a, b, fork, mine)
        if pair is None:
            continue
        yield replace(pair, beside=operation in told)
        if mine == pair.b or mine in pair.extra_b:
            told.add(operation)
        whole = not (pair.in_parts or pair.loosely or b.side.backward[pair.b])
        if whole and int(step[pair.b]) not in shared:
            parted.add(int(step[pair.b]))
            last = max(parted) if len(parted) == _ENOUGH else last


class _Forks:
    """The forks of A, by what they are made of."""

    def __init__(self, a: Apart) -> None:
        """Takes the run."""
        self._a, self._taken = a, [a.taken(fork) for fork in a.regions.forks]
        self._by_label = by_label(self._taken)

    def met(self, b: Apart, mine: int) -> int | None:
        """Chooses the one that shares most with a fork of B, those of the same step first; None where none does."""
        a, labels = self._a, b.taken(mine)
        found = {each for label in labels for each in self._by_label.get(label, ())}
        forks, step = a.regions.forks, b.side.numbers.step[mine]
        in_step = [each for each in found if a.side.numbers.step[forks[each]] == step]
        for chosen in (in_step, found):
            met = [
                (
                    a.side.backward[forks[each]] == b.side.backward[mine],
                    len(labels & self._taken[each]),
                    a.side.numbers.size[forks[each]] == b.side.numbers.size[mine],
                    -each,
                )
                for each in chosen if a.settles(forks[each]) == b.settles(mine)
            ]  # fmt: skip
            if met:
                return forks[-max(met)[-1]]
        return None


def counterpart(a: Apart, b: Apart, fork_a: int, fork_b: int) -> Pair | None:
    """Finds what stands in the one run for what forks in the other."""
    fork_a, fork_b = past_views(a, b, fork_a, fork_b)
    ahead_a, ahead_b = a.ahead(fork_a), b.ahead(fork_b)
    composed = composed_counterpart(a, b, ahead_a, ahead_b)
    if composed is None and are_shaped_unlike(a, b, fork_a, fork_b):
        composed = Pair(fork_a, fork_b, FAR)
    if composed is not None:
        return composed
    return _counterpart(a, b, (fork_a, fork_b), (ahead_a, ahead_b))


def _counterpart(a: Apart, b: Apart, forks: tuple[int, int], ahead: tuple[list[int], list[int]]) -> Pair | None:
    """What stands for a fork, where neither belongs to an operation that is written out."""
    (fork_a, fork_b), (ahead_a, ahead_b) = forks, ahead
    sides = (Both(a, b), ahead_a, fork_b), (Both(b, a, turned=True), ahead_b, fork_a)
    same_kind = [
        both.pair(row, fork, extra=tuple(ahead[:depth]))
        for both, ahead, fork in sides for depth, row in enumerate(ahead[: _EXTRA + 1])
        if alike(both.mine, both.other, row, fork)
    ]  # fmt: skip
    if same_kind:
        if b.side.updates[fork_b]:
            return min(same_kind, key=lambda pair: pair.distance)
        return min(same_kind, key=lambda pair: len(pair.extra_a) + len(pair.extra_b))
    if b.side.updates[fork_b]:
        return _scaled(a, b, fork_a, fork_b) or _update(a, b, fork_a, fork_b)
    nearest = _nearest(a, b, ahead_a, ahead_b)
    if nearest is not None:
        return None if stands_for_nothing(a, b, nearest.a, nearest.b) else nearest
    if a.is_loss(fork_a) and b.is_loss(fork_b):
        return Pair(fork_a, fork_b, distance_of(a, b, fork_a, fork_b))
    if are_of_one_kind(a, b, fork_a, fork_b):  # which give unlike shapes
        return Pair(fork_a, fork_b, FAR, in_parts=are_in_parts(a, b, fork_a, fork_b))
    if is_loss_in_parts(a, b, fork_a, fork_b) and (losses := losses_ahead(a, b, ahead_a, ahead_b)) is not None:
        return losses
    if (losses := written_out_losses(a, b, ahead_a, ahead_b)) is not None:
        return losses
    if (behind := shaped_unlike_behind(a, b, ahead_a, ahead_b)) is not None:
        return behind
    return _only_one(a, b, ahead_a, ahead_b) or _consequential(a, b, ahead_a, ahead_b)


def _scaled(a: Apart, b: Apart, fork_a: int, fork_b: int) -> Pair | None:
    """Pairs updates of which one is made of a gradient and the other of what one run makes of it by a number.

    The number is measured of the gradients, as their norm is by which a run clips them.
    """
    for both, mine, other in ((Both(a, b), fork_a, fork_b), (Both(b, a, turned=True), fork_b, fork_a)):
        for scaled, update in _behind_scaling(both.mine, mine):
            if alike(both.mine, both.other, update, other):
                return both.pair(update, other, extra=(mine, scaled))
    return None


def _behind_scaling(apart: Apart, measured: int) -> Iterator[tuple[int, int]]:
    """What is made of a value and a number that is measured of it, each with what is made of that in turn."""
    side = apart.side
    size, children = side.numbers.size, side.edges.children
    if size[measured] > 1:
        return
    for given in side.edges.parents[measured]:
        for scaled in children[given] if size[given] > 1 else ():
            if size[scaled] == size[given] and side.updates[scaled] and apart.label[scaled] < 0:
                yield from ((scaled, behind) for behind in children[scaled])


def _update(a: Apart, b: Apart, fork_a: int, fork_b: int) -> Pair | None:
    """Updates of two rules show in what the next step reads; those of the last one are told by `last_values.py`."""
    if b.side.numbers.step[fork_b] >= min(a.side.numbers.step.max(), b.side.numbers.step.max()):
        return None
    return Pair(fork_a, fork_b, distance_of(a, b, fork_a, fork_b))


def _nearest(a: Apart, b: Apart, ahead_a: list[int], ahead_b: list[int]) -> Pair | None:
    """The two of two regions that are nearest to each other, one of them a fork; of several, near to the other.

    What both runs go on from alike comes first. None where no two are near enough to be the same value, computed
    otherwise.
    """
    crossed = [(row, ahead_b[0], depth) for depth, row in enumerate(ahead_a)]
    crossed += [(ahead_a[0], row, depth) for depth, row in enumerate(ahead_b) if depth]
    found = []
    for mine, theirs, depth in crossed:
        pair = Pair(mine, theirs, distance_of(a, b, mine, theirs))
        near = pair.distance + _LESS_PER_OPERATION * depth < _RECOGNISABLE
        if (near or not depth) and pair.distance < FAR and _go_on_alike(a, b, mine, theirs):
            return pair
        score = pair.distance if pair.distance < _SURELY_THE_SAME else pair.distance + _PER_OPERATION * depth
        found.append((score, depth, pair))
    nearest = min(found, key=lambda each: each[:2])[2]
    return nearest if nearest.distance < _RECOGNISABLE else None


def _go_on_alike(a: Apart, b: Apart, row_a: int, row_b: int) -> bool:
    """Whether the runs make of two values others of one kind and size."""
    return any(alike(a, b, mine, theirs) for mine in a.followed(row_a) for theirs in b.followed(row_b))


def _consequential(a: Apart, b: Apart, ahead_a: list[int], ahead_b: list[int]) -> Pair | None:
    """The first values of one size in two regions from which gradients are taken: there the difference shows."""
    if not (_trains(a, ahead_a) and _trains(b, ahead_b)):
        return None
    sizes_a, sizes_b = (side.numbers.size for side in (a.side, b.side))
    found = [
        (depth_a + depth_b, row_a, row_b)
        for depth_a, row_a in enumerate(ahead_a) for depth_b, row_b in enumerate(ahead_b)
        if sizes_a[row_a] == sizes_b[row_b]
    ]  # fmt: skip
    _, row_a, row_b = min(found, default=(0, ahead_a[0], ahead_b[0]))
    return Pair(row_a, row_b, distance_of(a, b, row_a, row_b), loosely=True)


def _trains(apart: Apart, ahead: list[int]) -> bool:
    """Whether a backward pass is made of what is ahead."""
    backward, children = apart.side.backward, apart.side.edges.children
    return any(backward[row] or any(backward[child] for child in children[row]) for row in ahead)


def _only_one(a: Apart, b: Apart, ahead_a: list[int], ahead_b: list[int]) -> Pair | None:
    """An operation that keeps the size of what it takes, of a kind that the other run has nowhere behind the same.

    Where both have one, each takes the place of the other.
    """
    extra_a = _is_extra(a, ahead_a, np.append(b.side.kinds[ahead_b], b.side.fused_kinds))
    extra_b = _is_extra(b, ahead_b, np.append(a.side.kinds[ahead_a], a.side.fused_kinds))
    fork_a, fork_b = ahead_a[0], ahead_b[0]
    if extra_a and extra_b and a.taken(fork_a) == b.taken(fork_b) and _go_on_alike(a, b, fork_a, fork_b):
        return Pair(fork_a, fork_b, distance_of(a, b, fork_a, fork_b))
    if extra_b:
        return Pair(fork_a, fork_b, FAR, extra_b=(fork_b,))
    return Pair(fork_a, fork_b, FAR, extra_a=(fork_a,)) if extra_a else None


def _is_extra(mine: Apart, ahead: list[int], others: Ints) -> bool:
    fork, size = ahead[0], mine.side.numbers.size
    keeps = any(size[parent] == size[fork] for parent in mine.side.edges.parents[fork] if mine.label[parent] >= 0)
    return keeps and len(ahead) > 1 and mine.side.kinds[fork] not in others
