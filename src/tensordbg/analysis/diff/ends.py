"""Results of a run that are not compared, and values in its middle that are: where a lasting difference has to end.

A value that nothing is made of is a result, mostly. What is not: the updates of the last step in another framework,
which the one keeps as new parameters and the other as what it takes off; running statistics beside those of another
framework, of which each has a formula of its own; and the first values of variables that are
drawn, and written over by a checkpoint. The loss is a result, though the backward pass goes on from it.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.diff.side import Side
from tensordbg.model import NONE
from tensordbg.operations.traits import Trait


def not_compared(side: Side, other: Side, agreed: Bools) -> Bools:
    """Marks the values of a run that are no results, whatever is made of them."""
    result = _drawn_in_vain(side)
    computed = np.array([bool(parents) for parents in side.edges.parents], dtype=np.bool_)
    if not (agreed & computed & ~result & (side.numbers.size > 1)).any():
        result[:] = False  # a run of which nothing else is known
    if side.frameworks != other.frameworks:
        result |= side.updates & (side.numbers.step == side.numbers.step.max(initial=0))
        trained = _last_loss(side), _last_loss(other)
        if NONE not in trained and trained[0] > trained[1]:
            result |= _made_of(side, side.updates & (side.numbers.step >= trained[1]))
        result |= side.statistics
    return result


def unlike_losses(a: tuple[Side, Bools], b: tuple[Side, Bools]) -> tuple[Bools, Bools]:
    """Marks in two runs the losses that the other has not, nothing where one of them has none.

    Args:
        a: The reference, and which of its values agree.
        b: The other run, and the same of it.
    """
    found = _losses(*a), _losses(*b)
    both = bool(found[0].any() and found[1].any())
    return found[0] & both, found[1] & both


def _losses(side: Side, agreed: Bools) -> Bools:
    """Marks losses that do not agree; a scaled one is none where the loss itself agrees."""
    result = np.zeros(len(side.numbers), dtype=np.bool_)
    size = side.numbers.size
    for row in np.flatnonzero((size == 1) & ~agreed).tolist():
        parents = side.edges.parents[row]
        scaled = any(agreed[each] and size[each] == 1 and side.edges.parents[each] for each in parents)
        result[row] = side.is_differentiated(row) and not scaled
    return result


def _last_loss(side: Side) -> int:
    """The last step in which a run takes gradients; `NONE` where it is not known to take any."""
    sites = [site for site, each in side.program.sites.items() if each.differentiated]
    steps = side.numbers.step[np.isin(side.numbers.site, sites)]
    return int(steps.max(initial=NONE))


def _made_of(side: Side, chosen: Bools) -> Bools:
    """Marks some values and all that is made of them: of a longer run what the shorter one has no part in."""
    result = chosen.copy()
    for row, parents in enumerate(side.edges.parents):
        result[row] = result[row] or any(result[each] for each in parents)
    return result


def _drawn_in_vain(side: Side) -> Bools:
    """Marks what is made of random numbers and single ones alone, and goes into nothing else."""
    parents, children, size = side.edges.parents, side.edges.children, side.numbers.size
    varies = np.zeros(len(side.numbers), dtype=np.bool_)
    for row in range(len(size)):
        rest = [each for each in parents[row] if size[each] > 1]
        varies[row] = all(varies[each] for each in rest) if rest else side.operation(row).has(Trait.VARIES)
    for row in range(len(size) - 1, -1, -1):
        varies[row] = varies[row] and all(varies[each] for each in children[row])
    return varies
