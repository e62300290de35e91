"""Which values hold a NaN as far as events tell: their own, or those that they were made from by what has none.

This is for very many values at once, before the graph of what is bad is built.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.flow.dataflow import Flow

_FARTHEST = 60
"""So many values without an event are walked through."""


@dataclass(frozen=True)
class NanBehind:
    """Looks back along some edges, through values without an event of some operations."""

    flow: Flow
    through: Bools
    """For each site whether what it makes is walked through, where that has no event."""
    unknown: Bools
    """For each site whether what it makes without an event may be NaN, whatever it was made from."""

    def of(self, invocation: Ints, port: Ints) -> Bools:
        """For each value whether it is NaN, or may be."""
        values = self.flow.values
        result = np.zeros(len(port), dtype=np.bool_)
        owner = np.arange(len(port))
        for _ in range(_FARTHEST):
            event = values.event(invocation, port)
            has_event = event >= 0
            result[owner[has_event]] |= values.events.nan[event[has_event]]
            site = values.ports.site[port]
            result[owner[~has_event & self.unknown[site]]] = True
            open_rows = np.flatnonzero(~has_event & self.through[site] & ~result[owner])
            if not len(open_rows):
                return result
            owner, invocation, port = owner[open_rows], invocation[open_rows], port[open_rows]
            step = self.flow.sources(invocation, port)
            owner, invocation, port = distinct(owner[step.of], step.invocation, step.port)
            kept = values.ports.block[values.ports.site[port]] == values.invocations.block[invocation]
            owner, invocation, port = owner[kept], invocation[kept], port[kept]
        result[owner] = True
        return result


def distinct(*columns: Ints) -> tuple[Ints, ...]:
    """Each combination once."""
    return tuple(np.unique(np.stack(columns), axis=1)) if len(columns[0]) else columns
