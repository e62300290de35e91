"""Which values are updates: what an optimizer computes of the gradients of a step.

What belongs to no backward pass and is made of its values is one, unless a backward pass goes on from it, as from the
penalty on a gradient. So is what an optimizer keeps and reads again when it has changed it, and what is made of that. A
parameter ends one step as an update and begins the next as what it was then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from tensordbg.analysis.columns.hashing import mixed
from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.diff.edges import Edges
from tensordbg.analysis.diff.numbers import Numbers

Read = tuple[int, int]
"""The row of a value that was read of a variable, and the variable's number."""


def find_updates(numbers: Numbers, edges: Edges, backward: Bools, reads: Iterable[Read], program_part: Ints) -> Bools:
    """Finds the updates among the values of a run.

    Args:
        numbers: The values.
        edges: Their data flow.
        backward: Whether each belongs to a backward pass.
        reads: What was read of variables, in the order of the run.
        program_part: Of each value a number of the function that computed it, of eager code of the line.
    """
    within = edges.of(numbers.step[edges.child] == numbers.step[edges.parent])
    forward = within.of(~backward[within.child])
    update: Bools = forward.spread(backward) & ~backward
    place = mixed(numbers.step, program_part)
    updating = set(place[update].tolist())
    again = [row for row in _read_again(numbers, reads, program_part.tolist()) if int(place[row]) in updating]
    if again:
        update[again] = True
        update = forward.spread(backward | update) & ~backward
    # Of an update only updates are made; and what goes into nothing else is made of what the optimizer kept, or of the
    # parameter itself.
    used = within.has_child(np.ones(len(numbers), dtype=np.bool_))
    return ~within.spread_back(~(update | (used & edges.made & ~backward)))


def _read_again(numbers: Numbers, reads: Iterable[Read], part: list[int]) -> Iterator[int]:
    """Finds what was read of a variable that had held something else before, in the same step and part of a program."""
    before: dict[tuple[int, int, int], bytes] = {}
    for row, variable in reads:
        held = numbers.statistics[row].tobytes()
        if before.setdefault((int(numbers.step[row]), part[row], variable), held) != held:
            yield row
