"""Which values are updates: what an optimizer computes of the gradients of a step.

What belongs to no backward pass and is made of its values is one, unless a backward pass goes on from it, as from the
penalty on a gradient. So is what an optimizer keeps and reads again when it has changed it, and what is made of that. A
parameter ends one step as an update and begins the next as what it was then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

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
    gradient, update = backward.tolist(), [False] * len(numbers)
    step, part = numbers.step.tolist(), program_part.tolist()

    def spread() -> None:
        for row, parents in enumerate(edges.parents):
            if not gradient[row]:
                made = any(step[each] == step[row] and (gradient[each] or update[each]) for each in parents)
                update[row] = update[row] or made

    spread()
    updating = {(step[row], part[row]) for row, found in enumerate(update) if found}
    again = [row for row in _read_again(numbers, reads, part) if (step[row], part[row]) in updating]
    for row in again:
        update[row] = True
    if again:
        spread()
    for row in range(len(numbers) - 1, -1, -1):
        children = [each for each in edges.children[row] if step[each] == step[row]]
        if update[row]:
            update[row] = all(update[each] for each in children)
        elif children and not gradient[row] and all(update[each] for each in children):
            update[row] = bool(edges.parents[row])  # made of what the optimizer kept, or of the parameter itself
    return np.array(update, dtype=np.bool_)


def _read_again(numbers: Numbers, reads: Iterable[Read], part: list[int]) -> Iterator[int]:
    """Finds what was read of a variable that had held something else before, in the same step and part of a program."""
    before: dict[tuple[int, int, int], bytes] = {}
    for row, variable in reads:
        held = numbers.statistics[row].tobytes()
        if before.setdefault((int(numbers.step[row]), part[row], variable), held) != held:
            yield row
