"""Results of a run that are not compared, and values in its middle that are: where a lasting difference has to end.

A value that nothing is made of is a result, mostly. What is not: the updates of the last step in another framework,
which the one keeps as new parameters and the other as what it takes off; running statistics beside those of another
framework, of which each has a formula of its own; and the first values of variables that are
drawn, and written over by a checkpoint. The loss is a result, though the backward pass goes on from it.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.diff.in_parts import uneven_steps
from tensordbg.analysis.diff.losses import LOSSES
from tensordbg.analysis.diff.side import Side
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind


def not_compared(side: Side, other: Side, agreed: Bools) -> Bools:
    """Marks the values of a run that are no results, whatever is made of them."""
    result = side.drawn_in_vain(agreed)
    if not (agreed & side.edges.made & ~result & (side.numbers.size > 1)).any():
        result[:] = False  # a run of which nothing else is known
    result |= by_products(side)
    if side.frameworks != other.frameworks:
        result |= side.updates & (side.numbers.step == side.numbers.step.max(initial=0))
        trained = _last_loss(side), _last_loss(other)
        if NONE not in trained and trained[0] > trained[1]:
            result |= side.edges.spread(side.updates & (side.numbers.step >= trained[1]))
        result |= side.statistics
    return result


def by_products(side: Side) -> Bools:
    """Marks what operations give besides for a backward pass, where none follows.

    So it is with the gradient that a cross-entropy gives, the number of rows that count, or the means of a
    normalization.
    """
    unused = ~side.edges.has_child(np.ones(len(side.numbers), dtype=np.bool_))
    kinds = {*LOSSES, Kind.NORMALISE}
    rows = np.flatnonzero(unused & side.of_sites(lambda site: operation_of(site).kind in kinds)).tolist()
    result = np.zeros(len(side.numbers), dtype=np.bool_)
    result[[row for row in rows if side.slot(row) > 0]] = True
    return result & ~side.statistics


def unlike_losses(a: tuple[Side, Bools], b: tuple[Side, Bools]) -> tuple[Bools, Bools]:
    """Marks in two runs the losses that the other has not, nothing where one of them has none.

    Args:
        a: The reference, and which of its values agree.
        b: The other run, and the same of it.
    """
    found = _losses(*a), _losses(*b)
    both = bool(found[0].any() and found[1].any())
    uneven = uneven_steps(a[0], b[0])
    return (
        found[0] & both & ~np.isin(a[0].numbers.step, uneven),
        found[1] & both & ~np.isin(b[0].numbers.step, uneven),
    )


def _losses(side: Side, agreed: Bools) -> Bools:
    """Marks losses that do not agree; a scaled one is none where the loss itself agrees."""
    result = np.zeros(len(side.numbers), dtype=np.bool_)
    size = side.numbers.size
    for row in np.flatnonzero(side.losses & ~agreed).tolist():
        parents = side.edges.parents[row]
        scaled = any(agreed[each] and size[each] == 1 and side.edges.parents[each] for each in parents)
        result[row] = not scaled
    return result


def _last_loss(side: Side) -> int:
    """The last step in which a run takes gradients; `NONE` where it is not known to take any."""
    sites = [site for site, each in side.program.sites.items() if each.differentiated]
    steps = side.numbers.step[np.isin(side.numbers.site, sites)]
    return int(steps.max(initial=NONE))
