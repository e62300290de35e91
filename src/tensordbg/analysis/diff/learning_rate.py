"""Learning rates of two runs, as they show in what the steps of all parameters have in common.

A rate stands in no formula by itself: Adam divides it by what corrects the bias, and a decay that is decoupled takes a
share of it. But where two optimizers are given equal gradients and parameters, and all parameters move by one ratio,
the rate is what differs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.numbers import SQUARES, SUM

_NEAR = 0.02
"""Two ratios that are nearer are the same."""
_TELLING = 1e-5
"""A step whose sum is a smaller share of the parameter's norm has too few digits."""
_WALKED = 16
_LEAST = 2
"""So many parameters have to agree."""


def ratio_of_rates(a: Apart, b: Apart, pair: Pair) -> float | None:
    """Tells how many times as large the learning rate of B is in the step of a pair of updates; `None` if it is not."""
    mine, theirs = _moves(a, pair.a), _moves(b, pair.b)
    ratios = np.array([theirs[label] / mine[label] for label in mine.keys() & theirs.keys()])
    if len(ratios) < _LEAST:
        return None
    ratio = float(np.median(ratios))
    alike = np.abs(ratios - ratio) <= _NEAR * abs(ratio)
    return ratio if ratio > 0 and abs(ratio - 1) > _NEAR and bool(alike.all()) else None


def _moves(apart: Apart, row: int) -> dict[int, float]:
    """By how much the sum of each parameter changes in a step, by the label of what it was.

    What an optimizer keeps of a parameter besides is nothing like it: the nearest is its next value.
    """
    side = apart.side
    step, updates, told = side.numbers.step, side.updates, side.numbers.statistics
    nearest, norms = dict[int, tuple[float, float]](), dict[int, float]()
    for update in np.flatnonzero(updates & (step == step[row])).tolist():
        before = _parameter(apart, update)
        if before is None or any(updates[child] and step[child] == step[row] for child in side.edges.children[update]):
            continue
        label, norm = int(apart.label[before]), float(told[before, SQUARES])
        distance = abs(float(told[update, SQUARES]) - norm)
        moved = float(told[update, SUM] - told[before, SUM])
        nearest[label] = min(nearest.get(label, (np.inf, moved)), (distance, moved))
        norms[label] = float(np.sqrt(norm))
    return {label: moved for label, (_, moved) in nearest.items() if abs(moved) > _TELLING * norms[label]}


def _parameter(apart: Apart, update: int) -> int | None:
    """The parameter that an update is the next value of, as far as the other run has it too."""
    side = apart.side
    size, step, updates = side.numbers.size, side.numbers.step, side.updates

    def back(row: int) -> Iterator[int]:
        if row == update or updates[row]:
            yield from (each for each in side.edges.parents[row] if size[each] == size[update])

    for row in reached(update, back, _WALKED):
        outer = (not updates[row] and not side.backward[row]) or step[row] < step[update]
        if row != update and outer and apart.label[row] >= 0 and not apart.constant[row]:
            return row
    return None
