"""The part of a trace around one event: its execution and those that its inputs came from, all values located.

The data flow of a whole trace takes long to lay out, that of a few executions does not; and along the data an event has
no other neighbours than these, but for the executions that take its results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Ints, integers
from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.flow.values import Values, locate_values
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.events import Events, row_of
from tensordbg.analysis.program.execution_part import made_from, part_of
from tensordbg.analysis.view.records.columns import EventColumns
from tensordbg.analysis.view.records.event_ranges import RecordedExecutions, events_of
from tensordbg.model import NONE

_LEVELS = 3
_MOST_EXECUTIONS = 64
"""So many executions are looked at, of so many levels of what made the inputs."""
_MOST_EVENTS = 100_000
"""Of one execution no more events are taken: those around the chosen one, of others the last."""
_PLACE = ("execution", "site", "slot", "path", "frame", "iteration", "nan", "first_bad", "run")


@dataclass(frozen=True)
class LocalFlow:
    """Some events of a trace, with their values located."""

    values: Values
    """Its events and executions are numbered from 0."""
    events: Ints
    """The number in the trace of each event."""
    rows: Ints
    """The row in the trace of each execution."""

    @cached_property
    def flow(self) -> Flow:
        """Walks along all edges."""
        return Flow(self.values, self.values.ports.inputs)

    def local(self, event: int) -> int:
        """The number here of an event of the trace; it must be here."""
        return int(np.searchsorted(self.events, event))

    def number(self, local: int) -> int | None:
        """The number in the trace of an event here; None for `NONE`."""
        return None if local == NONE else int(self.events[local])


class LocalFlowSource(RecordedExecutions, Protocol):
    """A trace of which local flows can be taken."""

    @property
    def program(self) -> Program:
        """The description of the program."""

    def take(self, events: Ints, columns: Sequence[str]) -> Any:
        """See `TraceSource`."""


class LocalFlows(Protocol):
    """A trace that keeps the local flows that were asked for last."""

    @property
    def program(self) -> Program:
        """The description of the program."""

    def local_flow(self, event: int) -> LocalFlow:
        """The surroundings of an event along the data."""


def local_flow_key(opened: EventColumns, event: int) -> tuple[int, int]:
    """Equal for events that have the same local flow: those of one execution, or of one stretch of a long one."""
    return int(opened.columns.whole("execution")[event]), event // (_MOST_EVENTS // 4)


def take_local_flow(opened: LocalFlowSource, event: int) -> LocalFlow:
    """The part of a trace around an event."""
    number = opened.columns.whole("execution")[event : event + 1]
    row = int(row_of(opened.executions.number, number)[0])
    rows = made_from(opened.executions, row, _LEVELS, _MOST_EXECUTIONS)
    own = _own_events(opened, row, event)
    others = [events_of(opened, each)[-_MOST_EVENTS:] for each in rows.tolist() if each != row]
    events = np.sort(np.concatenate([own, *others]))
    table = opened.take(events, _PLACE)
    first_bad = integers(table, "first_bad", NONE)
    columns = {name: integers(table, name, NONE) for name in _PLACE[1:6]}
    located = Events(
        execution=row_of(opened.executions.number[rows], integers(table, "execution", NONE)),
        **columns,
        bad=first_bad != NONE,
        nan=integers(table, "nan") > 0,
        run=integers(table, "run"),
        unmeasured=integers(table, "nan", NONE) == NONE,
    )
    return LocalFlow(locate_values(opened.program, located, part_of(opened.executions, rows)), events, rows)


def _own_events(opened: RecordedExecutions, row: int, event: int) -> Ints:
    """The events of the chosen one's execution; around it if the trace has none of its number, or very many."""
    if row != NONE:
        found = events_of(opened, row)
    else:
        first = max(0, event - _MOST_EVENTS)
        near = opened.columns.whole("execution")[first : event + _MOST_EVENTS]
        found = first + np.flatnonzero(near == near[event - first])
    place = int(np.searchsorted(found, event))
    return found[max(0, place - _MOST_EVENTS) : place + _MOST_EVENTS]
