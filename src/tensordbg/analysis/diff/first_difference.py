"""The first operation at which the two runs part: a fork of one, and what the other computes in its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.diff.accumulated import accumulated
from tensordbg.analysis.diff.apart import Apart, Pair, alike, are_of_one_kind, distance_of
from tensordbg.analysis.diff.composed import composed_counterpart
from tensordbg.analysis.diff.matching import FAR
from tensordbg.model import NONE

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
    return in_order(b, _pairs(a, b))


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
    yield from _losses(a, b)
    yield from accumulated(a, b)
    forks = [(fork, a.taken(fork)) for fork in a.regions.forks]
    told = set[tuple[object, ...]]()
    for mine in b.regions.forks:
        operation = (int(b.side.numbers.site[mine]), b.side.edges.parents[mine], b.settles(mine))
        labels = b.taken(mine)
        met = [
            (
                a.side.backward[fork] == b.side.backward[mine],
                len(labels & theirs),
                a.side.numbers.size[fork] == b.side.numbers.size[mine],
                -position,
                fork,
            )
            for position, (fork, theirs) in enumerate(forks)
            if labels & theirs and a.settles(fork) == b.settles(mine)
        ]
        if met:
            pair = counterpart(a, b, max(met)[-1], mine)
            if pair is not None:
                yield replace(pair, beside=operation in told)
                if mine == pair.b or mine in pair.extra_b:
                    told.add(operation)


def _losses(a: Apart, b: Apart) -> Iterator[Pair]:
    """Pairs losses that are reduced otherwise, though all that is trained may be the same.

    Both are made of the same many values; or, where the gradients differ for good as well, the one is made of what
    the other is. A single number that each run scales, as for half precision, is no difference where the gradients are
    scaled back.
    """
    losses_a, losses_b = _losses_by_label(a), _losses_by_label(b)
    unlike_a, unlike_b = losses_a.pop(NONE, []), losses_b.pop(NONE, [])
    gradients = a.gradients_last and b.gradients_last
    if gradients:
        unlike_a, unlike_b = [*unlike_a, *_mistaken(losses_a, losses_b)], [*unlike_b, *_mistaken(losses_b, losses_a)]
    for mine in unlike_b:
        reduced = b.taken_whole(mine)
        yield from (
            Pair(other, mine, distance_of(a, b, other, mine)) for other in unlike_a if reduced & a.taken_whole(other)
        )
    if not gradients:
        return
    for loss in unlike_a:
        for label in a.taken(loss) & losses_b.keys():
            yield from (Pair(loss, row, distance_of(a, b, loss, row), extra_a=(loss,)) for row in losses_b[label])
    for loss in unlike_b:
        for label in b.taken(loss) & losses_a.keys():
            yield from (Pair(row, loss, distance_of(a, b, row, loss), extra_b=(loss,)) for row in losses_a[label])


def _mistaken(mine: dict[int, list[int]], theirs: dict[int, list[int]]) -> Iterator[int]:
    """The losses of a run that the other has too, but takes no gradients of, as the sum that a metric keeps."""
    return (loss for label, losses in mine.items() if label not in theirs for loss in losses)


def _losses_by_label(apart: Apart) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for row in np.flatnonzero(apart.side.numbers.size == 1).tolist():
        if apart.is_loss(row):
            found.setdefault(int(apart.label[row]), []).append(row)
    return found


def counterpart(a: Apart, b: Apart, fork_a: int, fork_b: int) -> Pair | None:
    """Finds what stands in the one run for what forks in the other."""
    ahead_a, ahead_b = a.ahead(fork_a), b.ahead(fork_b)
    composed = composed_counterpart(a, b, ahead_a, ahead_b)
    if composed is not None:
        return composed
    same_kind = [
        *(Pair(row, fork_b, 0.0, extra_a=tuple(ahead_a[:k])) for k, row in enumerate(ahead_a[: _EXTRA + 1])
          if alike(a, b, row, fork_b)),
        *(Pair(fork_a, row, 0.0, extra_b=tuple(ahead_b[:k])) for k, row in enumerate(ahead_b[: _EXTRA + 1])
          if alike(a, b, fork_a, row)),
    ]  # fmt: skip
    if same_kind:
        measured = [replace(pair, distance=distance_of(a, b, pair.a, pair.b)) for pair in same_kind]
        if b.side.updates[fork_b]:
            return min(measured, key=lambda pair: pair.distance)
        return min(measured, key=lambda pair: len(pair.extra_a) + len(pair.extra_b))
    if b.side.updates[fork_b]:
        return _scaled(a, b, fork_a, fork_b) or _update(a, b, fork_a, fork_b)
    nearest = _nearest(a, b, ahead_a, ahead_b)
    if nearest is not None:
        return nearest
    if a.is_loss(fork_a) and b.is_loss(fork_b):
        return Pair(fork_a, fork_b, distance_of(a, b, fork_a, fork_b))
    if are_of_one_kind(a, b, fork_a, fork_b):  # which give unlike shapes
        return Pair(fork_a, fork_b, FAR)
    return _only_one(a, b, ahead_a, ahead_b) or _consequential(a, b, ahead_a, ahead_b)


def _scaled(a: Apart, b: Apart, fork_a: int, fork_b: int) -> Pair | None:
    """Pairs updates of which one is made of a gradient and the other of what one run makes of it by a number.

    The number is measured of the gradients, as their norm is by which a run clips them.
    """
    found = next(((*each, fork_a) for each in _behind_scaling(a, fork_a) if alike(a, b, each[1], fork_b)), None)
    if found is not None:
        return Pair(found[1], fork_b, distance_of(a, b, found[1], fork_b), extra_a=(fork_a, found[0]))
    found = next(((*each, fork_b) for each in _behind_scaling(b, fork_b) if alike(a, b, fork_a, each[1])), None)
    if found is not None:
        return Pair(fork_a, found[1], distance_of(a, b, fork_a, found[1]), extra_b=(fork_b, found[0]))
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
    """Updates of two frameworks show in what the next step reads; those of the last one can't be compared."""
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
    """An operation that keeps the size of what it takes, of a kind that the other run has nowhere behind the same."""
    if _is_extra(b, ahead_b, a.side.kinds[ahead_a]):
        return Pair(ahead_a[0], ahead_b[0], FAR, extra_b=(ahead_b[0],))
    if _is_extra(a, ahead_a, b.side.kinds[ahead_b]):
        return Pair(ahead_a[0], ahead_b[0], FAR, extra_a=(ahead_a[0],))
    return None


def _is_extra(mine: Apart, ahead: list[int], others: Ints) -> bool:
    fork, size = ahead[0], mine.side.numbers.size
    keeps = any(size[parent] == size[fork] for parent in mine.side.edges.parents[fork] if mine.label[parent] >= 0)
    return keeps and len(ahead) > 1 and mine.side.kinds[fork] not in others
