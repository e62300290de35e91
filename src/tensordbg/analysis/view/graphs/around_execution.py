"""The neighbourhood of an eager operation: the executions that made its inputs, and those that took its results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.program.events import Executions
from tensordbg.analysis.view.event.neighbours import Neighbourhood, find_inputs
from tensordbg.analysis.view.graphs.around_operation import MOST_NODES
from tensordbg.analysis.view.records.event_ranges import events_of
from tensordbg.analysis.view.records.rows import EventRows, SeenTensor
from tensordbg.errors import AbsentError
from tensordbg.model import NONE


@dataclass(frozen=True)
class ExecutionNode:
    """One execution as a node."""

    row: int
    events: tuple[SeenTensor, ...]
    """Of an eager operation its outputs; of a call what is not finite of it first, and no more than a few."""
    bad: bool
    hidden_inputs: int
    hidden_consumers: int


@dataclass(frozen=True)
class ExecutionWire:
    """A result of one execution that is an input of another, by their rows."""

    maker: int
    slot: int
    """Which of the results."""
    taker: int
    position: int
    """Which of the inputs."""
    bad: bool = False


@dataclass(frozen=True)
class EagerPart:
    """Some executions and what flows between them."""

    centre: int
    """Row of the chosen execution."""
    nodes: tuple[ExecutionNode, ...]
    """In the order in which they ran."""
    wires: tuple[ExecutionWire, ...]


class EagerSource(Neighbourhood, EventRows, Protocol):
    """A trace whose executions are shown as a graph."""


def eager_part(opened: EagerSource, event: int, hops: int) -> EagerPart:
    """The executions at most so many steps away from that of an event of eager code.

    Raises:
        AbsentError: If there is no such event, or the trace does not hold its execution.
    """
    opened.check_event(event)
    executions = opened.executions
    number = int(opened.columns.whole("execution")[event])
    centre = int(np.searchsorted(executions.number, number))
    if centre >= len(executions) or executions.number[centre] != number:
        raise AbsentError(
            f"event {event} is of execution {number}, which the trace does not hold; choose another event"
        )
    near = {centre}
    edge = [centre]
    for _ in range(hops):
        found = [each for row in edge for each in (*_makers(executions, row), *_takers(executions, row))]
        edge = [each for each in dict.fromkeys(found) if each not in near][: MOST_NODES - len(near)]
        near.update(edge)
    rows = sorted(near)
    wires = [wire for row in rows for wire in _wires_into(executions, row) if wire.maker in near]
    return EagerPart(
        centre=centre,
        nodes=tuple(_node(opened, row, near) for row in rows),
        wires=tuple(replace(wire, bad=is_bad(opened, wire)) for wire in wires),
    )


def _makers(executions: Executions, row: int) -> list[int]:
    made_by = executions.input_row[executions.input_starts[row] : executions.input_starts[row + 1]]
    return [each for each in made_by.tolist() if each != NONE]


def _takers(executions: Executions, row: int) -> list[int]:
    places: Ints = np.flatnonzero(executions.input_row == row)
    found: list[int] = (np.searchsorted(executions.input_starts, places, side="right") - 1).tolist()
    return found


def _wires_into(executions: Executions, row: int) -> list[ExecutionWire]:
    first, last = int(executions.input_starts[row]), int(executions.input_starts[row + 1])
    return [
        ExecutionWire(int(executions.input_row[place]), int(executions.input_slot[place]), row, place - first)
        for place in range(first, last)
    ]


def is_bad(opened: EagerSource, wire: ExecutionWire) -> bool:
    """Whether what flows is not finite, as far as it was recorded."""
    events = events_of(opened, wire.maker)
    bad = opened.columns.bad()
    if not bad[events].any():
        return False
    if opened.executions.function[wire.maker] == NONE:
        return bool(bad[events][opened.columns.whole("slot")[events] == wire.slot].any())
    taken = events_of(opened, wire.taker)
    if not len(taken) or opened.executions.function[wire.taker] != NONE:
        return False
    # Which of its tensors a call returned, the data flow tells.
    return any(
        each.event is not None and bool(bad[each.event])
        for each in find_inputs(opened, int(taken[0]))
        if each.slot == wire.position
    )


def _node(opened: EagerSource, row: int, near: set[int]) -> ExecutionNode:
    executions = opened.executions
    events = events_of(opened, row)
    bad = opened.columns.bad()[events]
    shown = events[np.argsort(~bad, kind="stable")][:8]
    return ExecutionNode(
        row=row,
        events=tuple(opened.rows(shown)),
        bad=bool(bad.any()),
        hidden_inputs=sum(each not in near for each in _makers(executions, row)),
        hidden_consumers=sum(each not in near for each in _takers(executions, row)),
    )
