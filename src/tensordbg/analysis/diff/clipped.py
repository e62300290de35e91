"""Gradients that one run scales by a number that it measures of them, as clipping does, and the other does not.

An optimizer that divides by what it keeps of the gradients, as Adam does, makes nearly the same of both: the parameters
agree within what rounding makes of them in some steps, though the runs train otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Both, Pair, distance_of
from tensordbg.analysis.diff.edges import reached

CLEARLY = 1e-3
"""A gradient that is scaled by less is as good as not scaled."""
_WALKED = 6
"""So many values are walked back through from a scaled gradient to the gradient."""


def clipped(a: Apart, b: Apart) -> list[Pair]:
    """Pairs what the optimizers make of a gradient that one run scales; nothing where both do, or neither."""
    found = (pair for both in (Both(a, b), Both(b, a, turned=True)) for pair in islice(_pairs(both), 1))
    return sorted(found, key=lambda pair: int(b.side.numbers.step[pair.b]))[:1]


def _pairs(both: Both) -> Iterator[Pair]:
    mine, other = both.mine, both.other
    taken, scaled = _taken(other), {key: row for row, _, key in _scaled(other)}
    for row, measured, key in _scaled(mine):
        if mine.label[row] >= 0:
            continue
        if key in scaled:  # frameworks add unlike small numbers to the norm
            pair = both.pair(row, scaled[key])
            yield from (pair,) if pair.distance > CLEARLY else ()
            continue
        made = [each for each in mine.side.edges.children[row] if _is_new_update(mine, each, row)]
        if made and key in taken and not (mine.label[made] >= 0).any():  # else one has fused what the other writes out
            yield both.pair(made[0], taken[key], extra=(measured, row))


def _scaled(apart: Apart) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Finds gradients that are scaled: the result, the number measured of gradients, step and label of the gradient."""
    for row, measured, gradient in scaled_gradients(apart):
        if apart.label[gradient] >= 0:  # as far as the other run has it too
            yield row, measured, (int(apart.side.numbers.step[row]), int(apart.label[gradient]))


def scaled_gradients(apart: Apart) -> Iterator[tuple[int, int, int]]:
    """Finds gradients that are scaled by what is measured of gradients: the result, that number, and the gradient."""
    side = apart.side
    for row in np.flatnonzero(side.updates & (side.numbers.size > 1) & ~apart.constant).tolist():
        gradient = _gradient(apart, row)
        measured = None if gradient is None else _measured(apart, row)
        if measured is not None and gradient is not None and distance_of(apart, apart, row, gradient) > CLEARLY:
            yield row, measured, gradient


def _measured(apart: Apart, row: int) -> int | None:
    """The single number made of gradients that goes into a value."""
    side = apart.side
    return next((each for each in side.edges.parents[row] if side.numbers.size[each] == 1 and side.updates[each]), None)


def _gradient(apart: Apart, row: int) -> int | None:
    """The gradient that a value is made of alone, beside single numbers."""
    side = apart.side
    size, step = side.numbers.size, side.numbers.step

    def back(each: int) -> Iterator[int]:
        if side.updates[each]:
            yield from (parent for parent in side.edges.parents[each] if size[parent] > 1)

    walked = list(reached(row, back, _WALKED))
    ends = [each for each in walked if not side.updates[each]]
    alone = len(ends) == 1 and all(size[each] == size[row] and step[each] == step[row] for each in walked)
    return ends[0] if alone and side.backward[ends[0]] else None


def _taken(apart: Apart) -> dict[tuple[int, int], int]:
    """The first update that is made of each gradient itself, where the other run has none of these; by step and label.

    What an optimizer has kept is zero in the first step: what is made with that is the gradient again.
    """
    side, made, known = apart.side, dict[tuple[int, int], int](), set[tuple[int, int]]()
    for row in np.flatnonzero(side.updates & (side.numbers.size > 1) & ~apart.constant).tolist():
        for parent in side.edges.parents[row]:
            label = int(apart.label[parent])
            if side.backward[parent] and label >= 0 and _is_new_update(apart, row, parent):
                key = int(side.numbers.step[row]), label
                if apart.label[row] < 0:
                    made.setdefault(key, row)
                elif apart.label[row] != label:
                    known.add(key)
    return {key: row for key, row in made.items() if key not in known}


def _is_new_update(apart: Apart, row: int, given: int) -> bool:
    """Tells whether an optimizer makes a value of another, of its size and in its step."""
    side = apart.side
    numbers = side.numbers
    same = numbers.size[row] == numbers.size[given] and numbers.step[row] == numbers.step[given]
    return bool(same and side.updates[row])
