"""Losses that are taken of two values one behind the other, as of scores and of their softmax: both runs have both.

The loss of the one forks at a value that the other's is not made of, so that the two forks are given nothing in common.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Pair, distance_of
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.losses import parts_of_loss
from tensordbg.analysis.diff.wording import Explained, made_by
from tensordbg.operations.kinds import Kind

_PROBABILITIES = frozenset({Kind.SOFTMAX, Kind.LOG_SOFTMAX, Kind.SIGMOID})
"""The kinds of operations that losses take themselves: there may be one too many, or one too few."""

_WALKED = 40
"""So many values before what a loss is taken of are looked at for what the other loss is."""


def losses_apart(a: Apart, b: Apart) -> dict[Pair, Explained]:
    """Pairs the losses of the first step of which the other run has none, with words; nothing where both are alike."""
    rows_a, rows_b = _first_losses(a), _first_losses(b)
    if len(rows_a) != 1 or len(rows_b) != 1 or not (a.gradients_last and b.gradients_last):
        return {}
    pair = Pair(rows_a[0], rows_b[0], distance_of(a, b, rows_a[0], rows_b[0]), of_losses=True)
    for runs, mine, row, other, theirs in (("BA", b, pair.b, a, pair.a), ("AB", a, pair.a, b, pair.b)):
        given = _taken_of(other, theirs)
        for value in _taken_of(mine, row).values():
            if mine.side.operation(value).kind not in _PROBABILITIES:
                continue
            before = reached(value, mine.side.edges.parents.__getitem__, _WALKED)
            met = next((each for each in before if each != value and int(mine.label[each]) in given), None)
            if met is not None:
                return {pair: _in_words(pair, runs, made_by(mine, value), made_by(mine, met))}
    return {}


def _first_losses(apart: Apart) -> list[int]:
    """The losses of the first step that has any, without those that the other run has."""
    step, rows = apart.side.numbers.step, np.flatnonzero(apart.side.losses).tolist()
    return [row for row in rows if step[row] == step[rows[0]] and row in apart.regions.lasting]


def _taken_of(apart: Apart, loss: int) -> dict[int, int]:
    """The values that both runs have and that a loss is made of, by their labels; single numbers tell nothing."""
    size = apart.side.numbers.size
    given = (each for row in parts_of_loss(apart, loss) for each in apart.side.edges.parents[row])
    return {int(apart.label[each]): each for each in given
            if apart.label[each] >= 0 and size[each] > 1 and apart.side.edges.parents[each]}  # fmt: skip


def _in_words(pair: Pair, runs: str, behind: str, before: str) -> Explained:
    text = (
        f"the loss of {runs[0]} is taken of what {behind} gives, and that of {runs[1]} of what that is made of, by "
        f"{before}: both runs have both"
    )
    suggestion = "give both losses the same: scores to a loss that takes a softmax or a sigmoid itself, and no softmax"
    return Explained("value", pair.a, pair.b, pair.distance, True, (), text, suggestion)
