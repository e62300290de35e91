"""Evaluations between or behind the steps of a training, as predictions are: with parameters that it has trained.

A framework that counts the steps of each function by itself counts them anew there. But the parameters that are read
have drifted apart by the steps before, and what is made of them is no part of the first step.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.diff.edges import Edges
from tensordbg.analysis.diff.numbers import Numbers
from tensordbg.analysis.diff.updates import Read


def find_times(numbers: Numbers, edges: Edges, learning: Bools, reads: Iterable[Read], part: Ints) -> Ints:
    """Gives for each value the step of the training that its parameters belong to; mostly that is its own.

    Args:
        numbers: The values.
        edges: Their data flow.
        learning: Whether each is a gradient or an update.
        reads: What was read of variables, in the order of the run.
        part: Of each value a number of the function that computed it, of eager code of the line.
    """
    first: dict[int, bytes] = {}
    changed = np.zeros(len(numbers), dtype=np.bool_)
    for row, variable in reads:
        held = numbers.statistics[row].tobytes()
        changed[row] = first.setdefault(variable, held) != held
    evaluates = changed & ~np.isin(part, np.unique(part[learning])) if changed.any() else changed
    if not evaluates.any():
        return numbers.step
    behind = edges.spread(evaluates)
    trained = np.maximum.accumulate(np.where(learning, numbers.step, -1)) + 1
    result: Ints = np.where(behind, np.maximum(numbers.step, trained), numbers.step)
    return result
