"""Single numbers that the program read out of a tensor and computed with again: `total += loss.item()`.

A lone infinity looks like any that the program writes down, so its statistics don't tell that it came back, as they do
of an array (`returns.py`). But where the same one was read out before, it is that.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.flow.reads import was_read
from tensordbg.analysis.flow.returns import of_outside
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.details import Details
from tensordbg.model import NONE
from tensordbg.operations.lookup import NUMBER

_KINDS = ("nan", "neg_inf", "pos_inf")


def find_read_back(values: Values, details: Details) -> tuple[Ints, Ints]:
    """Find bad numbers that came back, and for each the bad event that the program had read it from."""
    bad = np.flatnonzero(values.events.bad)
    written = bad[_is_written(values)[values.ports.site[values.port[bad]]]]
    read = bad[_is_read(values, bad)]
    if not len(written) or not len(read):
        return written[:0], read[:0]
    events = np.union1d(written, read)
    rows = zip(events.tolist(), details.columns(events, ["size", *_KINDS]), strict=True)
    comes = set(written.tolist())
    last: dict[tuple[int, ...], int] = {}
    found = []
    for event, row in rows:
        kinds = tuple(row[name] or 0 for name in _KINDS)
        if row["size"] != 1:
            continue
        if event in comes:
            found += [(event, last[kinds])] if kinds in last else []
        else:
            last[kinds] = event
    made, source = np.array(found, dtype=np.int64).reshape(-1, 2).T
    return made, source


def _is_written(values: Values) -> Bools:
    """For each site whether it is of a number of the program's text, or of a value from Python."""
    result = of_outside(values)
    result[[site.site for site in values.program.sites.values() if site.op_type == NUMBER]] = True
    return result


def _is_read(values: Values, events: Ints) -> Bools:
    """For some events whether they are results of eager operations that the program read."""
    row, port = values.invocation[events], values.port[events]
    eager = (row < len(values.executions)) & (values.ports.site[port] != NONE)
    slot = port - values.ports.first[values.ports.site[port]]
    result: Bools = eager & was_read(values, np.where(eager, row, 0), slot)
    return result
