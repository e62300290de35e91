"""Updates by the variables that they are written to: in place, or by an operation that takes them."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.diff.numbers import Numbers
from tensordbg.analysis.flow.values import Values


def find_written(values: Values, numbers: Numbers, updates: Bools) -> dict[tuple[int, int], int]:
    """Finds by step and variable, as far as that may be trained, the last update that is written to it."""
    ports, written = values.ports, dict[int, list[int]]()
    for site in values.program.sites.values():
        for port in (*ports.inputs.of(site.site), ports.first[site.site]) if site.writes else ():
            written.setdefault(int(port), []).extend(site.writes)
    found: dict[tuple[int, int], int] = {}
    port, step = values.port[numbers.event], numbers.step
    for row in np.flatnonzero(updates & np.isin(port, [*written])).tolist():
        for variable in written[int(port[row])]:
            known = values.program.variables.get(variable)
            if known is None or known.trainable is not False:
                found[int(step[row]), variable] = row
    return found
