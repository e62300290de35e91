"""Losses that differ though they are made of equal values: what they are reduced by, which labels, what is added."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Both, Pair, distance_of
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.scaled_losses import times
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind

LOSSES = frozenset(
    {
        Kind.SOFTMAX_LOSS,
        Kind.SPARSE_SOFTMAX_LOSS,
        Kind.SIGMOID_LOSS,
        Kind.LABEL_LOSS,
        Kind.HUBER_LOSS,
        Kind.ALIGNMENT_LOSS,
    }
)
"""Operations that compare what a model gives with what it should."""

_WITH_SOFTMAX = frozenset({Kind.SOFTMAX_LOSS, Kind.SPARSE_SOFTMAX_LOSS})
_MOST = 40
"""So many values are walked back through from a loss to what both runs have."""
_BEHIND = 8
"""So many values are walked back through from a loss to what the other run takes for one."""


def unlike_losses_of(a: Apart, b: Apart) -> Iterator[Pair]:
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
    reducing = by_label(a.taken_whole(other) for other in unlike_a)
    for mine in unlike_b:
        met = {position for label in b.taken_whole(mine) for position in reducing.get(label, ())}
        yield from (Pair(unlike_a[each], mine, distance_of(a, b, unlike_a[each], mine)) for each in sorted(met))
    if not gradients:
        return
    for both, losses, theirs in ((Both(a, b), unlike_a, losses_b), (Both(b, a, turned=True), unlike_b, losses_a)):
        for loss in losses:
            for label in _labels_behind(both.mine, loss) & theirs.keys():
                yield from (both.pair(loss, row, extra=(loss,)) for row in theirs[label])


def _mistaken(mine: dict[int, list[int]], theirs: dict[int, list[int]]) -> Iterator[int]:
    """The losses of a run that the other has too, but takes no gradients of, as the sum that a metric keeps."""
    return (loss for label, losses in mine.items() if label not in theirs for loss in losses)


def _losses_by_label(apart: Apart) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for row in np.flatnonzero(apart.side.losses).tolist():
        found.setdefault(int(apart.label[row]), []).append(row)
    return found


def by_label(taken: Iterable[frozenset[int]]) -> dict[int, list[int]]:
    """Gives for each label the positions of the sets that hold it."""
    found: dict[int, list[int]] = {}
    for position, labels in enumerate(taken):
        for label in labels:
            found.setdefault(label, []).append(position)
    return found


def _labels_behind(apart: Apart, loss: int) -> frozenset[int]:
    """The labels of what a loss is made of, also by way of single numbers that only this run has."""
    size = apart.side.numbers.size
    made_by = reached(loss, lambda row: (each for each in apart.unknown_parents(row) if size[each] == 1), _BEHIND)
    return frozenset().union(*(apart.taken(row) for row in made_by))


def without_parts_of_losses(a: Apart, b: Apart, pairs: list[Pair]) -> list[Pair]:
    """Leaves out what says less than that the losses differ: what one run takes in parts, and a pass with another.

    In a step whose losses are known to differ no value of a forward pass stands for one of a backward pass.
    """
    losses = {pair for pair in pairs if computes_loss(a, pair.a) and computes_loss(b, pair.b)}
    steps = {_step(b, pair) for pair in losses}
    parts = set[int]().union(*(_parts_of_one(a, b, pair) for pair in losses))
    return [
        pair
        for pair in pairs
        if pair in losses
        or (pair.b not in parts and (a.side.backward[pair.a] == b.side.backward[pair.b] or _step(b, pair) not in steps))
    ]


def _step(b: Apart, pair: Pair) -> int:
    return int(b.side.numbers.step[pair.b])


def parts_of_loss(apart: Apart, row: int) -> list[int]:
    """Gives a loss and what only its run has of what it is made of, the last first."""
    return list(reached(row, apart.unknown_parents, _MOST))


def _parts_of_one(a: Apart, b: Apart, pair: Pair) -> set[int]:
    """What the loss of B is made of and A has not, where one of the two has in one operation what the other parts.

    So it is where one loss is a number of times the other: then only how they are reduced differs.
    """
    parts = [parts_of_loss(each, row) for each, row in ((a, pair.a), (b, pair.b))]
    kinds = [{each.side.operation(row).kind for row in rows} for each, rows in zip((a, b), parts, strict=True)]
    whole = any(one & _WITH_SOFTMAX and Kind.LOG_SOFTMAX in other for one, other in (kinds, kinds[::-1]))
    return set(parts[1]) if whole or times(a, b, pair) is not None else set()


def is_loss_in_parts(a: Apart, b: Apart, fork_a: int, fork_b: int) -> bool:
    """Tells whether one run computes in one operation a loss that the other begins with a logarithm of a softmax."""
    kinds = {a.side.operation(fork_a).kind, b.side.operation(fork_b).kind}
    return Kind.LOG_SOFTMAX in kinds and bool(kinds & _WITH_SOFTMAX)


def losses_ahead(a: Apart, b: Apart, ahead_a: list[int], ahead_b: list[int]) -> Pair | None:
    """Pairs the losses that come of two forks; `None` where neither is known.

    A loss that nothing reads has no value where the framework leaves it out; then the operation stands for it.
    """
    rows = [_loss_of(mine, ahead) for mine, ahead in ((a, ahead_a), (b, ahead_b))]
    if rows[0] is None and rows[1] is None:
        return None
    row_a, row_b = (row if row is not None else ahead[0] for row, ahead in zip(rows, (ahead_a, ahead_b), strict=True))
    return Pair(row_a, row_b, distance_of(a, b, row_a, row_b), of_losses=True)


def computes_loss(apart: Apart, row: int) -> bool:
    """Tells whether a value is a loss, or one of the results of an operation that computes losses."""
    return apart.is_loss(row) or apart.side.operation(row).kind in LOSSES


def _loss_of(apart: Apart, ahead: list[int]) -> int | None:
    """The loss among what comes of a fork, else the only one of its step, which the other run may have as well."""
    step = apart.side.numbers.step
    losses = np.flatnonzero((step == step[ahead[0]]) & apart.side.losses).tolist()
    return next((row for row in ahead if row in losses), losses[0] if len(losses) == 1 else None)
