"""Runs of collective operations that nobody has numbered: all processes of a group begin them in the same order.

So the n-th of a group in one process is the n-th of it in the others. What a process puts in counts also where it gets
nothing bad out itself: a reduce-scatter hands each part of the sum to another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Ints, spread_ranges
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.processes.collectives import attribute_number
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE, Site


@dataclass(frozen=True)
class BadInputs:
    """Bad values that were put into runs; columns, one element for each."""

    run: Ints
    """The row of the execution."""
    event: Ints


def is_counted(site: Site) -> bool:
    """Whether the runs of an operation are told apart by their order in a group that has a name."""
    collective = operation_of(site).collective
    if collective is None or site.function != NONE or collective.group_input != NONE:
        return False
    named = attribute_number(site, collective.group_attribute) != NONE
    return named and attribute_number(site, collective.instance_attribute) == NONE


def runs_of_group(values: Values, group: int) -> Ints:
    """The numbers of the executions of all collective operations of a group, in their order."""
    sites = [
        site.site
        for site in values.program.sites.values()
        if is_counted(site) and attribute_number(site, _group_attribute(site)) == group
    ]
    executions = values.executions
    return np.sort(executions.number[np.isin(executions.site, sites)])


def bad_inputs_of_counted(values: Values, sites: Sequence[Site]) -> BadInputs:
    """The bad values that eager operations put into those of the sites whose runs are counted."""
    executions = values.executions
    counted = [site.site for site in sites if is_counted(site)]
    runs = np.flatnonzero(np.isin(executions.site, counted) & (executions.function == NONE))
    starts = executions.input_starts[runs]
    owner, position = spread_ranges(starts, executions.input_starts[runs + 1] - starts)
    row, slot = executions.input_row[position], executions.input_slot[position]
    eager = (row != NONE) & (np.append(executions.function, NONE)[row] == NONE)
    row, slot, owner = row[eager], slot[eager], owner[eager]
    event = values.event(row, values.ports.first[executions.site[row]] + slot).astype(np.int64)
    bad = event != NONE
    bad[bad] = values.events.bad[event[bad]]
    return BadInputs(runs[owner[bad]], event[bad])


def _group_attribute(site: Site) -> str:
    collective = operation_of(site).collective
    assert collective is not None
    return collective.group_attribute
