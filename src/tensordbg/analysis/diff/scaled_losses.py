"""Losses of which one is a whole number of times the other: a sum in place of a mean, over a batch, classes or time."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Pair, distance_of
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.numbers import SUM

_NEAR = 1e-5
"""A ratio of two losses that is so near to a whole number is one."""
_BEHIND = 40
"""So many values are walked back through from a loss to what both runs have."""


def scaled_losses(a: Apart, b: Apart) -> Iterator[Pair]:
    """Pairs the only losses of a step, of which one is so many times the other as something has elements."""
    losses_a, losses_b = _only_losses(a), _only_losses(b)
    for step, mine in losses_b.items():
        theirs = losses_a.get(step)
        if theirs is not None:
            pair = Pair(theirs, mine, distance_of(a, b, theirs, mine), of_losses=True)
            if times(a, b, pair) is not None:
                yield pair


def times(a: Apart, b: Apart, pair: Pair) -> int | None:
    """Tells how many times the other the loss of B is, or, as a negative number, that of A; `None` where it is not."""
    if not (pair.of_losses or (a.is_loss(pair.a) and b.is_loss(pair.b))):
        return None
    values = float(a.side.numbers.statistics[pair.a, SUM]), float(b.side.numbers.statistics[pair.b, SUM])
    if not all(np.isfinite(values)) or not all(values):
        return None
    ratio = values[1] / values[0]
    larger_in_b = abs(ratio) > 1
    ratio = ratio if larger_in_b else 1 / ratio
    count = round(ratio)
    if count < 2 or abs(ratio - count) > _NEAR * count:
        return None
    labels = _labels_behind(a, pair.a) & _labels_behind(b, pair.b)
    known = labels and any(size > 1 and size % count == 0 for size in _sizes(b, pair.b, labels))
    if not known:
        return None
    return count if larger_in_b else -count


def is_size_of_axes(apart: Apart, loss: int, count: int) -> bool:
    """Tells whether so many values lie along some axes of what a loss is made of: along one, or several in a row."""
    shapes = [apart.side.shape(row) or () for row in _behind(apart, loss) if apart.side.numbers.size[row] > 1]
    return any(
        math.prod(shape[begin:end]) == count
        for shape in shapes for begin in range(len(shape)) for end in range(begin + 1, len(shape) + 1)
    )  # fmt: skip


def _only_losses(apart: Apart) -> dict[int, int]:
    """The loss of each step that has one, as far as the other run has it not."""
    side, found = apart.side, dict[int, list[int]]()
    for row in np.flatnonzero(side.losses).tolist():
        found.setdefault(int(side.numbers.step[row]), []).append(row)
    return {step: rows[0] for step, rows in found.items() if len(rows) == 1 and apart.label[rows[0]] < 0}


def _behind(apart: Apart, loss: int) -> list[int]:
    """What both runs have of what a loss is made of, the nearest first."""
    found = list(reached(loss, apart.unknown_parents, _BEHIND))
    return [each for row in found for each in apart.side.edges.parents[row] if apart.label[each] >= 0]


def _labels_behind(apart: Apart, loss: int) -> frozenset[int]:
    return frozenset(int(apart.label[row]) for row in _behind(apart, loss) if apart.side.numbers.size[row] > 1)


def _sizes(apart: Apart, loss: int, labels: frozenset[int]) -> list[int]:
    return [int(apart.side.numbers.size[row]) for row in _behind(apart, loss) if int(apart.label[row]) in labels]
