"""How a tensor looked before: in the executions before, or else in the iterations of the loop before."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.flow.values import Values

LENGTH = 32
"""How many earlier tensors are looked at."""


def earlier_events(values: Values, event: int) -> list[int]:
    """The events of the same output at the same place before an event, the oldest first.

    One of each earlier execution, the last that it made; if the tensor was computed in no earlier execution, those of
    the same one.
    """
    same = np.flatnonzero(values.port[:event] == values.port[event])
    place = values.invocations.place[values.invocation[same]]
    same = same[place == values.invocations.place[values.invocation[event]]]
    execution = values.events.execution[same]
    here = execution == values.events.execution[event]
    if here.all():
        return [int(found) for found in same[-LENGTH:]]
    return [int(found) for found in _last_of_each(same[~here], execution[~here])[-LENGTH:]]


def _last_of_each(events: Ints, execution: Ints) -> Ints:
    order = np.argsort(execution, kind="stable")
    events, execution = events[order], execution[order]
    return events[np.flatnonzero(np.diff(execution, append=-2))]
