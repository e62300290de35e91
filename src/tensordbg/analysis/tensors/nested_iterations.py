"""Iterations of all loops around the events of a tensor, where loops lie in each other.

An event tells the iteration of the innermost loop and which run of the loop that was. In which iteration of the loop
around it that run began is told by the events of its whole execution.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tensordbg.analysis.columns.reading import Ints, TraceSource, integers, tensor_pieces
from tensordbg.analysis.flow.loop_iterations import iterations_around
from tensordbg.analysis.flow.values import Values, locate_values
from tensordbg.analysis.names.listing import ListedTensor
from tensordbg.analysis.program.description import Program, read_program
from tensordbg.analysis.program.events import Events, read_executions, row_of
from tensordbg.analysis.program.execution_part import part_of

_MOST_EVENTS = 500_000
"""Of more events it is not told."""

_COLUMNS = ("execution", "site", "slot", "path", "frame", "iteration", "run")


def with_iterations(trace: TraceSource, points: tuple[ListedTensor, ...]) -> tuple[ListedTensor, ...]:
    """Adds to events of nested loops the iterations of all of them, where the innermost alone tells several apart."""
    seen = Counter((each.execution, each.run, each.site, each.slot, each.path, each.iteration) for each in points)
    of = sorted({key[0] for key, times in seen.items() if times > 1 and key[-1] is not None})
    found = _iterations(trace, of, [each.event for each in points]) if of else {}
    return tuple(replace(each, iterations=found.get(each.event, ())) for each in points) if found else points


def _iterations(trace: TraceSource, executions: Sequence[int], wanted: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """By the events that are wanted and lie in nested loops the iterations, outermost first."""
    events = _events_of(trace, executions)
    if not 0 < len(events) <= _MOST_EVENTS:
        return {}
    values = _located(trace, read_program(trace), executions, events)
    places = np.flatnonzero(np.isin(events, wanted)).tolist()
    around = {int(events[place]): iterations_around(values, place) for place in places}
    return {event: tuple(turn for _, turn in loops) for event, loops in around.items() if len(loops) > 1}


def _located(trace: TraceSource, program: Program, executions: Sequence[int], events: Ints) -> Values:
    """Values of a part of the trace."""
    known = read_executions(trace, program)
    rows = row_of(known.number, np.array(executions))
    table = trace.take(events, list(_COLUMNS))
    columns = {name: integers(table, name, -1) for name in _COLUMNS[1:6]}
    nothing = np.zeros(len(events), dtype=np.bool_)
    located = Events(
        execution=row_of(known.number[rows], integers(table, "execution", -1)),
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
