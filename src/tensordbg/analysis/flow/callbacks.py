"""Python functions that a graph calls back: what they compute eagerly lies between the operation's inputs and outputs.

The trace does not say which call of the operation an eager operation ran in. So this part of the data flow is known in
the large: a bad result goes back to the last bad value that was computed eagerly since the one before it, in executions
that began while its own was under way; a bad value that came into such an execution from outside goes back to what the
operation was given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.operations import INPUT, named
from tensordbg.model import NONE
from tensordbg.operations.traits import Trait


@dataclass(frozen=True)
class CallbackLinks:
    """Edges back from what came out of Python functions, and from what went into them."""

    result: Ints
    """Bad events: results of callbacks."""
    computed: Ints
    """For each the bad event that was computed for it."""
    entered: Ints
    """Bad events: values that came into a Python function."""
    invocation: Ints
    """For each the invocation of the operation that called it,"""
    port: Ints
    """and a port that the operation takes."""


def callback_links(values: Values) -> CallbackLinks:
    """Find the edges between graphs and the Python functions that they call back."""
    bad = np.flatnonzero(values.events.bad)
    sites = values.ports.site[values.port[bad]]
    types = {number: site.op_type for number, site in values.program.sites.items()}
    calling = np.isin(sites, [number for number, op_type in types.items() if named(op_type).has(Trait.CALLS_PYTHON)])
    execution = values.events.execution[bad]
    eager = ~calling & (execution != NONE) & (np.append(values.executions.function, NONE)[execution] == NONE)
    from_outside = eager & np.isin(sites, [number for number, op_type in types.items() if op_type == INPUT])
    results: list[tuple[int, int]] = []
    entries: list[tuple[int, int, int]] = []
    last: dict[int, int] = {}
    for place in np.flatnonzero(calling & (execution != NONE)).tolist():
        event, port = int(bad[place]), int(values.port[bad[place]])
        between = slice(last.get(port, NONE) + 1, place)
        last[port] = place
        began_inside = execution[between] > execution[place]
        computed = bad[between][began_inside & (eager & ~from_outside)[between]]
        results.extend((event, int(source)) for source in computed[-1:])
        entered = bad[between][began_inside & from_outside[between]]
        invocation = int(values.invocation[event])
        entries.extend((int(each), invocation, given) for each in entered for given in _taken(values, port))
    made = np.array(results, dtype=np.int64).reshape(-1, 2).T
    came = np.array(entries, dtype=np.int64).reshape(-1, 3).T
    return CallbackLinks(made[0], made[1], came[0], came[1], came[2])


def _taken(values: Values, port: int) -> list[int]:
    """The ports that an operation takes, of which this is an output."""
    site, taken = int(values.ports.site[port]), values.ports.inputs
    ports: list[int] = taken.ports[taken.starts[site] : taken.starts[site + 1]].tolist()
    return ports
