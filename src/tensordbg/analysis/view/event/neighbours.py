"""Finds what one event was computed from, and what was computed from it, wherever that was recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from tensordbg.analysis.flow.operands import is_eager, operands
from tensordbg.analysis.flow.resolve import resolve
from tensordbg.analysis.program.function_titles import function_title
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.view.event.local_flow import LocalFlow, LocalFlows
from tensordbg.analysis.view.records.event_ranges import RecordedExecutions, events_of
from tensordbg.analysis.view.records.rows import EventRows, SeenTensor
from tensordbg.model import NONE, CallKind, TensorRef
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

MOST_CONSUMERS = 50
_FARTHEST = 20


@dataclass(frozen=True)
class Neighbour:
    """An input of an operation, or a consumer of what it computed."""

    slot: int
    """Which input: of the event's operation, or of the consumer."""
    tensor: str
    """Of an input the name that it has there, of a consumer the name of its operation."""
    op_type: str
    event: int | None
    """None where it was not recorded."""
    row: SeenTensor | None = None
    stated: str = ""
    """Type and shape of what was not recorded, as far as they are known."""
    elements: str = ""
    """All of them, of a small tensor that a failed operation was given."""


class Neighbourhood(LocalFlows, RecordedExecutions, Protocol):
    """A trace in which one goes from event to event along the data."""


def find_inputs(opened: LocalFlows, event: int) -> list[Neighbour]:
    """The inputs of the operation that an event belongs to, in order."""
    local_flow = opened.local_flow(event)
    local = local_flow.local(event)
    values = local_flow.values
    site = values.program.sites[int(values.events.site[local])]
    invocation = int(values.invocation[local])
    found = []
    if site.argument != NONE and not is_eager(local_flow.flow, invocation):
        # An argument has no inputs of its own; what was given for it stands in the caller.
        step = local_flow.flow.sources(values.invocation[local : local + 1], values.port[local : local + 1])
        for source, port in zip(step.invocation.tolist(), step.port.tolist(), strict=True):
            maker = values.program.sites[int(values.ports.site[port])]
            name = f"{maker.name}:{port - int(values.ports.first[maker.site])}"
            found.append(Neighbour(0, name, maker.op_type, _recorded(local_flow, source, port)))
    for each in operands(local_flow.flow, site, invocation):
        recorded = _recorded(local_flow, each.invocation, each.port) if each.port != NONE else None
        found.append(Neighbour(each.position, each.tensor, each.op_type, recorded))
    return found


def _recorded(local_flow: LocalFlow, invocation: int, port: int) -> int | None:
    events = resolve(local_flow.flow, invocation, port)
    return local_flow.number(events[-1]) if events else None


def find_consumers(opened: Neighbourhood, event: int) -> list[Neighbour]:
    """Finds what was computed from an event: in its graph, and by the executions that took it as an input."""
    local_flow = opened.local_flow(event)
    local = local_flow.local(event)
    found = (
        [] if is_eager(local_flow.flow, int(local_flow.values.invocation[local])) else list(_within(local_flow, local))
    )
    return [*found, *_in_later_executions(opened, local_flow, local)]


def _within(local_flow: LocalFlow, local: int) -> Iterator[Neighbour]:
    """Consumers in the same graph; what has no event of its own and passes its input on is seen through."""
    values = local_flow.values
    program, invocation = values.program, int(values.invocation[local])
    edges = program.edges
    open_refs = [TensorRef(int(values.events.site[local]), int(values.events.slot[local]))]
    seen = set(open_refs)
    for ref in open_refs:
        rows = np.flatnonzero((edges[:, 2] == ref.site) & (edges[:, 3] == ref.slot))
        for number, position in edges[rows, :2].tolist():
            site = program.sites[number]
            event = _first_event(local_flow, invocation, number)
            through = TensorRef(number, position if operation_of(site).kind is Kind.IDENTITY_OF_SEVERAL else 0)
            if event == NONE and operation_of(site).has(Trait.PASSES) and through not in seen and len(seen) < _FARTHEST:
                seen.add(through)
                open_refs.append(through)
                if _is_used(edges, through):
                    continue
            yield Neighbour(position, site.name, site.op_type, local_flow.number(event))


def _is_used(edges: np.ndarray[tuple[int, ...], np.dtype[np.signedinteger]], ref: TensorRef) -> bool:
    return bool(((edges[:, 2] == ref.site) & (edges[:, 3] == ref.slot)).any())


def _first_event(local_flow: LocalFlow, invocation: int, site: int) -> int:
    """The first recorded output of an operation; of a call, what tells of its results."""
    values = local_flow.values
    for slot in range(int(values.ports.count[site])):
        port = int(values.ports.first[site]) + slot
        event = int(values.event(np.array([invocation]), np.array([port]))[0])
        if event == NONE and values.program.sites[site].call is not CallKind.NONE:
            events = resolve(local_flow.flow, invocation, port)
            event = events[-1] if events else NONE
        if event != NONE:
            return event
    return NONE


def _in_later_executions(opened: Neighbourhood, local_flow: LocalFlow, local: int) -> Iterator[Neighbour]:
    """The executions that took a result as their input."""
    executions = opened.executions
    row = int(local_flow.values.events.execution[local])
    slots = list(_result_slots(local_flow, local)) if row != NONE else []
    if not slots:
        return
    taken = (executions.input_row == int(local_flow.rows[row])) & np.isin(executions.input_slot, slots)
    for place in np.flatnonzero(taken).tolist():
        consumer = int(np.searchsorted(executions.input_starts, place, side="right")) - 1
        yield _consumer(opened, consumer, place - int(executions.input_starts[consumer]))


def _result_slots(local_flow: LocalFlow, local: int) -> Iterator[int]:
    """Which results of its execution hold the value of an event."""
    values = local_flow.values
    invocation = int(values.invocation[local])
    if is_eager(local_flow.flow, invocation):
        yield int(values.events.slot[local])
    elif invocation < len(values.executions):
        function = values.program.functions.get(int(values.executions.function[invocation]))
        for slot, ref in enumerate(function.outputs if function is not None else ()):
            port = values.ports.of(ref)
            if port != NONE and local in resolve(local_flow.flow, invocation, port):
                yield slot


def _consumer(opened: Neighbourhood, row: int, position: int) -> Neighbour:
    """An execution as a consumer: its operation, or the argument of the function that it called."""
    program, executions = opened.program, opened.executions
    function = program.functions.get(int(executions.function[row])) if executions.function[row] != NONE else None
    events = events_of(opened, row)
    if function is None:
        site = program.sites[int(executions.site[row])]
        return Neighbour(position, site.name, site.op_type, int(events[0]) if len(events) else None)
    number = function.arguments[position] if position < len(function.arguments) else NONE
    of_argument = events[opened.columns.whole("site")[events] == number]
    name = function_title(function.name)
    return Neighbour(position, name, "function", int(of_argument[0]) if len(of_argument) else None)


def with_rows(opened: EventRows, neighbours: Sequence[Neighbour]) -> tuple[Neighbour, ...]:
    """Adds to each neighbour the row of its event."""
    events = sorted({each.event for each in neighbours if each.event is not None})
    rows = dict(zip(events, opened.rows(events), strict=True))
    return tuple(replace(each, row=None if each.event is None else rows[each.event]) for each in neighbours)
