"""How a tensor looked before: in the executions before, or in the iterations of a loop before."""

from __future__ import annotations

from itertools import islice

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.flow.values import Values
from tensordbg.model import NONE

LENGTH = 32
"""How many earlier tensors are looked at."""

_MOST = 2000
"""Among so many of a line those are looked for that are alike."""


def earlier_events(values: Values, event: int) -> list[int]:
    """The events of the same output at the same place before an event, the oldest first.

    Of an eager operation those that were made of results of the same operations as it is. Else one of each earlier
    execution, the last that it made; if the tensor was computed in no earlier execution, those of the same one.
    """
    same = _same_place(values, event)
    execution = values.events.execution[same]
    here = execution == values.events.execution[event]
    row = int(values.events.execution[event])
    if 0 <= row < len(values.executions) and values.executions.function[row] == NONE:
        return _alike(values, event, same[~here])
    if here.all():
        return [int(found) for found in same[-LENGTH:]]
    return [int(found) for found in _last_of_each(same[~here], execution[~here])[-LENGTH:]]


def earlier_iterations(values: Values, event: int) -> list[int]:
    """The events of the same output at the same place before an event in its execution of a function, oldest first."""
    same = _same_place(values, event)
    here = values.events.execution[same] == values.events.execution[event]
    return [int(found) for found in same[here][-LENGTH:]]


def _same_place(values: Values, event: int) -> Ints:
    same = np.flatnonzero(values.port[:event] == values.port[event])
    place = values.invocations.place[values.invocation[same]]
    found: Ints = same[place == values.invocations.place[values.invocation[event]]]
    return found


def _alike(values: Values, event: int, before: Ints) -> list[int]:
    """The eager results that were made from results of the same operations: a line may hold several of a kind."""
    wanted = _made_from(values, event)
    found = (other for other in before[: -_MOST - 1 : -1].tolist() if _made_from(values, other) == wanted)
    return [*islice(found, LENGTH)][::-1]


def _made_from(values: Values, event: int) -> list[tuple[int, int, int]]:
    """For each input what made it, and which result it is; all that was made of nothing, as a number, is alike."""
    executions, starts = values.executions, values.executions.input_starts
    row = int(values.events.execution[event])
    makers = executions.input_row[starts[row] : starts[row + 1]]
    slots = executions.input_slot[starts[row] : starts[row + 1]]
    made = (makers != NONE) & (starts[makers + 1] > starts[makers])
    sites, functions = (np.where(made, each[makers], NONE) for each in (executions.site, executions.function))
    return [*zip(sites.tolist(), functions.tolist(), slots.tolist(), strict=True)]


def _last_of_each(events: Ints, execution: Ints) -> Ints:
    order = np.argsort(execution, kind="stable")
    events, execution = events[order], execution[order]
    return events[np.flatnonzero(np.diff(execution, append=-2))]
