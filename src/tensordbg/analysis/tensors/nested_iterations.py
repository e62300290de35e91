"""Iterations of all loops around the events of a tensor, where loops lie in each other.

An event tells the iteration of the innermost loop and which run of the loop that was. In which iteration of the loop
around it that run began is told by the events of its whole execution.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Ints, TraceSource, integers, tensor_pieces
from tensordbg.analysis.flow.loop_iterations import iterations_around
from tensordbg.analysis.flow.values import Values, locate_values
from tensordbg.analysis.names.listing import ListedTensor
from tensordbg.analysis.program.description import Program, read_program
from tensordbg.analysis.program.events import Events, Executions, read_executions, row_of
from tensordbg.analysis.program.execution_part import part_of

_MOST_EVENTS = 500_000
"""Of more events it is not told."""


class TakenEvents(Protocol):
    """A trace whose events are read by their numbers."""

    def take(self, events: Ints, columns: Sequence[str]) -> Any:
        """See `TraceSource`."""


_COLUMNS = ("execution", "site", "slot", "path", "frame", "iteration", "run")


def with_iterations(trace: TraceSource, points: tuple[ListedTensor, ...]) -> tuple[ListedTensor, ...]:
    """Adds to events of nested loops the iterations of all of them, where the innermost alone tells several apart."""
    seen = Counter((each.execution, each.run, each.site, each.slot, each.path, each.iteration) for each in points)
    of = sorted({key[0] for key, times in seen.items() if times > 1 and key[-1] is not None})
    if not of:
        return points
    program, events = read_program(trace), _events_of(trace, of)
    known = read_executions(trace, program)
    found = iterations_in(trace, program, known, events, [each.event for each in points])
    return tuple(replace(each, iterations=found.get(each.event, ())) for each in points)


def iterations_in(
    trace: TakenEvents, program: Program, known: Executions, events: Ints, wanted: Sequence[int]
) -> dict[int, tuple[int, ...]]:
    """Finds the iterations of all loops around events that lie in nested ones, outermost first.

    Args:
        trace: Whose events they are.
        program: Of the trace.
        known: All executions.
        events: All of some executions, ascending.
        wanted: Those that are asked for; of those among `events` it is told, if these are not too many.
    """
    if not 0 < len(events) <= _MOST_EVENTS:
        return {}
    values = _located(trace, program, known, events)
    places = np.flatnonzero(np.isin(events, wanted)).tolist()
    around = {int(events[place]): iterations_around(values, place) for place in places}
    return {event: tuple(turn for _, turn in loops) for event, loops in around.items() if len(loops) > 1}


def _located(trace: TakenEvents, program: Program, known: Executions, events: Ints) -> Values:
    """Values of a part of the trace."""
    table = trace.take(events, list(_COLUMNS))
    numbers = integers(table, "execution", -1)
    rows = row_of(known.number, np.unique(numbers))
    columns = {name: integers(table, name, -1) for name in _COLUMNS[1:6]}
    nothing = np.zeros(len(events), dtype=np.bool_)
    located = Events(
        execution=row_of(known.number[rows], numbers),
        **columns,
        bad=nothing,
        nan=nothing,
        run=integers(table, "run"),
        unmeasured=None,
    )
    return locate_values(program, located, part_of(known, rows))


def _events_of(trace: TraceSource, executions: Sequence[int]) -> Ints:
    """The events of some executions, ascending."""
    found = [np.empty(0, dtype=np.int64)]
    for rows, table in tensor_pieces(trace, ["execution"]):
        found.append(rows.start + np.flatnonzero(np.isin(integers(table, "execution", -1), executions)))
    result: Ints = np.concatenate(found)
    return result
