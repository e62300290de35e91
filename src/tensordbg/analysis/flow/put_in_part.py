"""Variables of which an operation writes a part: `weight[i] = x` writes into memory, and names no variable."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE, Site
from tensordbg.operations.lookup import is_in_place
from tensordbg.operations.traits import Trait


def puts_as_it_is(site: Site) -> bool:
    """Whether an operation writes what it is given into memory, as it is."""
    operation = operation_of(site)
    return is_in_place(site.op_type) and operation.has(Trait.MOVES) and not operation.has(Trait.BUILDS_ON_OLD)


def put_into(values: Values, site: Site) -> tuple[int, ...]:
    """Where an eager operation names no variable: those in whose memory it puts what it is given."""
    if site.writes or not puts_as_it_is(site):
        return ()
    executions = values.executions
    rows = np.flatnonzero((executions.site == site.site) & (np.diff(executions.input_starts) > 1))
    before = np.unique(executions.input_row[executions.input_starts[rows]])
    makers = np.unique(executions.site[before[before != NONE]]).tolist()
    found = (values.program.sites.get(number) for number in makers)
    return tuple(sorted({each for maker in found if maker is not None for each in maker.reads or maker.writes}))
