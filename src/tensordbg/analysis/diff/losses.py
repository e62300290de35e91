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
        or (pair.b not in parts and (_step(b, pair) not in steps or _says_more_than_losses(a, b, pair)))
    ]


def losses_at_once(a: Apart, b: Apart, pair: Pair) -> tuple[bool, bool]:
    """Tells of both operations of a pair whether it computes a loss at once."""
    return a.side.operation(pair.a).kind in LOSSES, b.side.operation(pair.b).kind in LOSSES


def _says_more_than_losses(a: Apart, b: Apart, pair: Pair) -> bool:
    """Tells whether two values are of one pass, and not of a forward pass that differs in its gradients alone.

    So it is where one run takes a softmax and then its logarithm, and both come to equal values before the loss.
    """
    backward = a.side.backward[pair.a], b.side.backward[pair.b]
    of_gradients = not backward[1] and (_is_for_gradients(a, pair.a) and _is_for_gradients(b, pair.b))
    return bool(backward[0] == backward[1] and not of_gradients)


def _is_for_gradients(apart: Apart, row: int) -> bool:
    """Tells whether of what is ahead of a value nothing but gradients differs for good."""
    ahead, children = apart.ahead(row), apart.side.edges.children
    return len(ahead) < _MOST and all(children[each] and not apart.is_loss(each) for each in ahead)


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


def written_out_losses(a: Apart, b: Apart, ahead_a: list[int], ahead_b: list[int]) -> Pair | None:
    """Pairs the losses that come of two forks, where what one run has in an operation the other writes out otherwise.

    So it is with a loss, with the logarithm of a softmax, and with a mean, beside a sum. The parts of the one have
    nothing to do with those of the other, so the two ends tell what differs; `None` where they are not known.
    """
    ways = ((a, ahead_a, b, ahead_b), (b, ahead_b, a, ahead_a))
    if not (any(_is_written_out(*way) for way in ways) or _are_reduced_unlike(a, b, ahead_a[0], ahead_b[0])):
        return None
    ends = _single_end(a, ahead_a), _single_end(b, ahead_b)
    if ends[0] is None or ends[1] is None:
        return None
    return Pair(ends[0], ends[1], distance_of(a, b, ends[0], ends[1]), of_losses=True)


def _is_written_out(mine: Apart, whole: list[int], other: Apart, parts: list[int]) -> bool:
    """Tells whether a run begins with an operation of a loss of which the other has the parts alone."""
    kind, kinds = mine.side.operation(whole[0]).kind, {other.side.operation(row).kind for row in parts}
    if kind is Kind.LOG_SOFTMAX:
        return {Kind.SOFTMAX, Kind.LOG} <= kinds and Kind.LOG_SOFTMAX not in kinds
    at_once = kind in LOSSES or (kind is Kind.SQUARED_DIFFERENCE and mine.side.numbers.size[whole[0]] == 1)
    return at_once and not kinds & {Kind.LOG_SOFTMAX, *LOSSES, kind}


def _are_reduced_unlike(a: Apart, b: Apart, fork_a: int, fork_b: int) -> bool:
    """Tells whether one run sums up the same values of which the other takes the mean."""
    kinds = {a.side.operation(fork_a).kind, b.side.operation(fork_b).kind}
    return kinds == {Kind.SUM, Kind.MEAN} and a.taken_whole(fork_a) == b.taken_whole(fork_b)


def _single_end(apart: Apart, ahead: list[int]) -> int | None:
    """The loss ahead, else the only single number there that nothing more is made of."""
    size, children = apart.side.numbers.size, apart.side.edges.children
    single = [row for row in ahead if size[row] == 1]
    losses = [row for row in single if apart.is_loss(row)]
    ends = losses or [row for row in single if not children[row]]
    return ends[0] if len(ends) == 1 else None


def computes_loss(apart: Apart, row: int) -> bool:
    """Tells whether a value is a loss, or one of the results of an operation that computes losses."""
    return apart.is_loss(row) or apart.side.operation(row).kind in LOSSES


def _loss_of(apart: Apart, ahead: list[int]) -> int | None:
    """The loss among what comes of a fork, else the only one of its step, which the other run may have as well."""
    step = apart.side.numbers.step
    losses = np.flatnonzero((step == step[ahead[0]]) & apart.side.losses).tolist()
    return next((row for row in ahead if row in losses), losses[0] if len(losses) == 1 else None)
