"""Steps of a training without an optimizer: each backward pass whose gradients change something ends one.

PyTorch's steps are counted by its optimizers. A program that changes its parameters itself has none, so all of it would
be one step: its second forward pass would be held against the first one of another run.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.diff.edges import Edges
from tensordbg.analysis.diff.numbers import Numbers


def steps_by_passes(numbers: Numbers, edges: Edges, backward: Bools) -> Ints:
    """Counts the steps of a run of which only one is recorded; gives those that are recorded of all others.

    A step ends where the program comes back to what it did before its first backward pass, once it has made
    something of gradients.

    Args:
        numbers: The values of the run.
        edges: Their data flow.
        backward: Whether each belongs to a backward pass.
    """
    step = numbers.step
    if not backward.any() or step.min() != step.max():
        return step
    before = np.arange(len(step)) < int(np.argmax(backward))
    again = np.isin(numbers.site, np.unique(numbers.site[before & edges.made])) & edges.made & ~backward
    begins = np.zeros(len(step), dtype=np.int64)
    for first, end in _between_passes(backward):
        begins[list(_beginning(edges, backward, again, range(first, end)))] = 1
    result: Ints = step + np.cumsum(begins)
    return result


def _between_passes(backward: Bools) -> Iterator[tuple[int, int]]:
    """The stretches of a run between two backward passes: the first row, and the one behind the last."""
    rows = np.flatnonzero(backward)
    for position in np.flatnonzero(np.diff(rows) > 1).tolist():
        yield int(rows[position]) + 1, int(rows[position + 1])


def _beginning(edges: Edges, backward: Bools, again: Bools, rows: range) -> Iterator[int]:
    """The row at which the next step begins, if one does between two passes: that of what goes into it first."""
    made_of_gradients = set[int]()
    for row in rows:
        parents = edges.parents[row]
        if made_of_gradients and again[row]:
            last = max(made_of_gradients)
            yield min([row, *(each for each in parents if each > last and not edges.parents[each])])
            return
        if any(backward[each] or each in made_of_gradients for each in parents):
            made_of_gradients.add(row)
