"""Which values are updates: what an optimizer computes of the gradients of a step.

What belongs to no backward pass and is made of its values is one, unless a backward pass goes on from it, as from the
penalty on a gradient. A parameter ends one step as an update and begins the next as what it was then.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.diff.edges import Edges
from tensordbg.analysis.diff.numbers import Numbers


def find_updates(numbers: Numbers, edges: Edges, backward: Bools) -> Bools:
    """Finds the updates among the values of a run.

    Args:
        numbers: The values.
        edges: Their data flow.
        backward: Whether each belongs to a backward pass.
    """
    gradient, update = backward.tolist(), [False] * len(numbers)
    step = numbers.step.tolist()
    for row, parents in enumerate(edges.parents):
        if not gradient[row]:
            update[row] = any(step[each] == step[row] and (gradient[each] or update[each]) for each in parents)
    for row in range(len(numbers) - 1, -1, -1):
        children = [each for each in edges.children[row] if step[each] == step[row]]
        if update[row]:
            update[row] = all(update[each] for each in children)
        elif children and not gradient[row] and all(update[each] for each in children):
            update[row] = bool(edges.parents[row])  # made of what the optimizer kept, or of the parameter itself
    return np.array(update, dtype=np.bool_)
