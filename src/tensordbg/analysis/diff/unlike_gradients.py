"""Gradients that part although no operation of the one run is known to stand for any of the other.

So it is with a loss that a kernel computes in one and nobody reads in the other: then the optimizers are not to blame.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.diff.apart import Apart, distance_of
from tensordbg.analysis.diff.wording import Explained
from tensordbg.analysis.program.operations import operation_of
from tensordbg.operations.traits import Trait


def unlike_gradients(a: Apart, b: Apart, rows: tuple[int, int], step: int) -> Explained | None:
    """Tells of the last gradients of a step that are as large as two parameters, where no run has any of the other."""
    found = [_last_gradient(apart, row, step) for apart, row in ((a, rows[0]), (b, rows[1]))]
    if found[0] is None or found[1] is None:
        return None
    row_a, row_b = found[0], found[1]
    names = a.side.site(row_a).op_type, b.side.site(row_b).op_type
    text = (
        f"the gradients of step {step} are not the same, what {names[0]} gives in A and {names[1]} in B, and no "
        "operation of the one run on the way to them is known to stand for one of the other"
    )
    suggestion = (
        "compare the two losses, and what is computed last before them: another loss, or other settings of it, such "
        "as a delta, a margin or a weight"
    )
    return Explained("value", row_a, row_b, distance_of(a, b, row_a, row_b), None, (), text, suggestion)


def _last_gradient(apart: Apart, parameter: int, step: int) -> int | None:
    """The last product of a backward pass of a size, where the other run has none of those."""
    side, numbers = apart.side, apart.side.numbers
    multiplies = side.of_sites(lambda site: operation_of(site).has(Trait.CONTRACTS))
    alike = side.backward & multiplies & (numbers.step == step) & (numbers.size == numbers.size[parameter])
    rows = np.flatnonzero(alike)
    return None if not len(rows) or (apart.label[rows] >= 0).any() else int(rows[-1])
