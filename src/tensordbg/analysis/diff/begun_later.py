"""Trainings of which one begins with parameters that the other has behind some of its steps, as of a checkpoint.

All that the one computes is in the other as well, in another step, so that nothing seems to differ.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Both, Pair
from tensordbg.analysis.diff.wording import SUGGESTIONS, Explained
from tensordbg.operations.kinds import Kind

_READ = list(Kind).index(Kind.READ)


def begun_later(a: Apart, b: Apart) -> dict[Pair, Explained]:
    """Pairs a parameter that one run begins with and the other has nowhere with the one that stands in its place."""
    if not (a.side.updates.any() and b.side.updates.any()):
        return {}
    for both in (Both(a, b), Both(b, a, turned=True)):
        found = _begun_later(both)
        if found is not None:
            pair, steps = both.pair(found[0], found[1]), found[2]
            run, other = "AB" if both.turned else "BA"
            behind = "step" if steps == 1 else "steps"
            text = f"{run} begins with what {other} has of this parameter behind {steps} {behind}, as of a checkpoint"
            return {
                pair: Explained("parameter", pair.a, pair.b, pair.distance, False, (), text, SUGGESTIONS["parameter"])
            }
    return {}


def _begun_later(both: Both) -> tuple[int, int, int] | None:
    """Finds the first value of a parameter, that of the other run, and behind how many steps the first run has it."""
    mine, theirs = both.mine, both.other
    begins, others = _first_reads(mine), _first_reads(theirs)
    if any(mine.label[row] >= 0 for row in begins) or not others:
        return None
    for row in others:
        beside = [each for each in begins if mine.side.shape(each) == theirs.side.shape(row)]
        beside = beside or [each for each in begins if mine.side.numbers.size[each] == theirs.side.numbers.size[row]]
        same = np.flatnonzero((mine.label == theirs.label[row]) & (mine.label >= 0))
        if not beside or not len(same):
            return None  # what only the other run has is told by that
        steps = int(mine.side.time[same].min() - mine.side.time[beside[0]])
        if steps > 0:
            return beside[0], row, steps
    return None


def _first_reads(apart: Apart) -> list[int]:
    """What a run reads of trained parameters before it updates any; one number in all elements tells nothing."""
    side = apart.side
    first = side.numbers.step[side.updates].min()
    reads = (side.kinds == _READ) & ~side.backward & (side.time <= first) & (side.numbers.size > 1) & ~apart.constant
    made = side.edges.has_parent(side.updates & (side.kinds != _READ))
    found = np.flatnonzero(reads & ~made).tolist()
    return [row for row in found if any(each.trainable for each in side.touched(row))]
