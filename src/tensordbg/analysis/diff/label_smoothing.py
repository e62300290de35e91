"""Labels that a loss takes as less than certain: a share of each class is added to them, or to the loss."""

from __future__ import annotations

from collections.abc import Iterator

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.attributes import as_written
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.losses import LOSSES, parts_of_loss
from tensordbg.analysis.diff.numbers import LOW
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.operations.kinds import Kind

_AHEAD = 8
_NEAR = 1e-4
_MOST_CLASSES = 1e7


def unlike_smoothing(a: Apart, b: Apart, pair: Pair) -> tuple[AttributeDifference, ...]:
    """Tells by how much two losses smooth their labels, where that is not the same; () where neither is known to."""
    if not (_is_of_classes(a, pair.a) and _is_of_classes(b, pair.b)):
        return ()
    smoothing = [_smoothing(each, row) for each, row in ((a, pair.a), (b, pair.b))]
    if abs(smoothing[0] - smoothing[1]) <= _NEAR:
        return ()
    return (AttributeDifference("label smoothing", *(as_written(each) for each in smoothing)),)


def _is_of_classes(apart: Apart, row: int) -> bool:
    """Tells whether a loss compares classes, or what it is made of does."""
    side, kinds = apart.side, {apart.side.operation(each).kind for each in parts_of_loss(apart, row)}
    before = {side.operation(each).kind for part in parts_of_loss(apart, row) for each in side.edges.parents[part]}
    return bool((kinds | before) & {*LOSSES, Kind.LOG_SOFTMAX, Kind.LOG})


def _smoothing(apart: Apart, row: int) -> float:
    """The share that a loss takes of its labels and gives to all classes alike; 0 where it does not."""
    behind = [*parts_of_loss(apart, row), *reached(row, lambda each: _forward(apart, each), _AHEAD)]
    sums = (each for each in behind if apart.side.operation(each).kind is Kind.ADD)
    found = (1 - kept for each in sums for kept in _kept(apart, each))
    return float(f"{next(found, 0.0):.5g}")


def _forward(apart: Apart, row: int) -> Iterator[int]:
    """The single numbers that a forward pass makes of a part of a loss."""
    side = apart.side
    return (each for each in side.edges.children[row] if side.numbers.size[each] == 1 and not side.backward[each])


def _kept(apart: Apart, row: int) -> Iterator[float]:
    """The factors of a sum that leave a share for each of several classes, which the other part adds."""
    parents = apart.side.edges.parents[row]
    factors = [number for each in parents for number in _numbers(apart, each) if 0 < number < 1]
    added = [*factors, *(number for number in _own(apart, row) if 0 < number < 1)]
    for kept in factors:
        for each in added:
            classes = (1 - kept) / each
            if each != kept and 1.5 < classes < _MOST_CLASSES and abs(classes - round(classes)) <= _NEAR * classes:
                yield kept


def _numbers(apart: Apart, row: int) -> Iterator[float]:
    """The number by which a part of a sum is multiplied."""
    return _own(apart, row) if apart.side.operation(row).kind is Kind.MULTIPLY else iter(())


def _own(apart: Apart, row: int) -> Iterator[float]:
    side = apart.side
    given = (each for each in side.edges.parents[row] if side.numbers.size[each] == 1 and not side.edges.parents[each])
    return (float(side.numbers.statistics[each, LOW]) for each in given)
