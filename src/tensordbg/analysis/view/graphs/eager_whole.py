"""Eager code as one graph: all operations of one step, in boxes as those of a function are.

Layers are boxes, the backward pass is one, and a call of a function is an operation: what is in it has a graph itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.program.call_tree import CallTree, Instance
from tensordbg.analysis.view.caching import Recent
from tensordbg.analysis.view.graphs.around_execution import ExecutionWire, is_bad
from tensordbg.analysis.view.graphs.box_health import RecordedAt
from tensordbg.analysis.view.graphs.boxes import box_tree
from tensordbg.analysis.view.graphs.eager_spans import Span, eager_spans
from tensordbg.analysis.view.graphs.node_health import NodeEvents
from tensordbg.analysis.view.graphs.root_functions import root_functions
from tensordbg.analysis.view.graphs.whole import WholeFunction, WholeGraph, WholeGraphs, drawn, source_line
from tensordbg.analysis.view.graphs.wires import Wire
from tensordbg.analysis.view.records.event_ranges import events_of
from tensordbg.analysis.view.records.rows import SeenTensor
from tensordbg.analysis.view.requests import Whole
from tensordbg.errors import AbsentError
from tensordbg.model import NONE, Function, Site

MOST_EXECUTIONS = 20_000
"""Of a step with more, those around the chosen one are taken."""
BACKWARD = "backward pass"


@dataclass(frozen=True)
class EagerStep(WholeFunction):
    """The eager code of one step as it is drawn, worked out once."""

    rows: Mapping[str, int]
    """The row of the execution of each operation, by key."""


class EagerSteps(WholeGraphs, Protocol):
    """A trace that keeps the steps of eager code that were looked at as a whole."""

    eager_steps: Recent[Span, EagerStep]


def eager_graph(opened: EagerSteps, asked: Whole, origins: Collection[int]) -> WholeGraph:
    """The step of an event of eager code; without one the first step with something not finite, else the last.

    Raises:
        AbsentError: If there is no such event, or the trace holds no executions.
    """
    row = _row_asked_for(opened, asked.event)
    step = _step_at(opened, row)
    keys = {each: key for key, each in step.rows.items()}
    centre = keys.get(row, "") if asked.event is not None else ""
    recorded = _recorded(opened, step, keys, origins)
    return drawn(
        step,
        root_functions(opened),
        asked,
        centre,
        recorded,
        lambda told: _events_at(opened, step, told),
    )


def eager_step(opened: EagerSteps, asked: Whole) -> EagerStep:
    """The step that `eager_graph` shows.

    Raises:
        AbsentError: If there is no such event, or the trace holds no executions.
    """
    return _step_at(opened, _row_asked_for(opened, asked.event))


def _row_asked_for(opened: EagerSteps, event: int | None) -> int:
    executions = opened.executions
    if event is None:
        if not len(executions):
            raise AbsentError("the trace holds no operations; choose another process or run")
        bad = np.flatnonzero((opened.bad.count > 0) & (executions.function == NONE))
        return int(bad[0]) if len(bad) else len(executions) - 1
    opened.check_event(event)
    number = int(opened.columns.whole("execution")[event])
    row = int(np.searchsorted(executions.number, number))
    if row >= len(executions) or executions.number[row] != number:
        raise AbsentError(
            f"event {event} is of execution {number}, which the trace does not hold; choose another event"
        )
    return row


def _step_at(opened: EagerSteps, row: int) -> EagerStep:
    around = next(span for span in eager_spans(opened.executions) if span.begin <= row < span.end)
    begin = max(around.begin, min(row - MOST_EXECUTIONS // 2, around.end - MOST_EXECUTIONS))
    span = Span(around.step, begin, min(around.end, begin + MOST_EXECUTIONS))
    return opened.eager_steps.get(span, lambda: _described(opened, span, around))


def _described(opened: EagerSteps, span: Span, around: Span) -> EagerStep:
    executions = opened.executions
    part = "" if span == around else f", {span.end - span.begin:,} of {around.end - around.begin:,} operations"
    when = "before the first step" if span.step is None else f"step {span.step}"
    function = Function(NONE, f"eager code, {when}{part}", "", NONE)
    tree = CallTree(opened.program, function)
    rows: dict[str, int] = {}
    for row in range(span.begin, span.end):
        site = opened.program.sites.get(int(executions.site[row]))
        if site is not None:
            key = f"{site.name}#{executions.number[row]}"
            tree.instances[key] = Instance(key, site, 0, "", "")
            rows[key] = row
    boxes = box_tree(tree, lambda site: _layer(opened, site), lambda site: source_line(opened, site))
    return EagerStep(function, boxes, tuple(_wires(opened, rows)), rows)


def _layer(opened: EagerSteps, site: Site) -> str:
    """The path of a site's layer; modules of PyTorch bear dots, with which a number belongs to the name before it."""
    path = opened.site(site.site).layer
    if "/" not in path:
        names: list[str] = []
        for name in path.split("."):
            names[-1:] = [f"{names[-1]}.{name}"] if name.isdigit() and names else [*names[-1:], name]
        path = "/".join(names)
    return "/".join(filter(None, (BACKWARD, path))) if site.backward else path


def _wires(opened: EagerSteps, rows: Mapping[str, int]) -> list[Wire]:
    executions = opened.executions
    keys = {row: key for key, row in rows.items()}
    found = []
    for key, row in rows.items():
        first, last = int(executions.input_starts[row]), int(executions.input_starts[row + 1])
        for place in range(first, last):
            maker = keys.get(int(executions.input_row[place]))
            if maker is not None and maker != key:
                found.append(Wire(maker, int(executions.input_slot[place]), key, place - first))
    return found


def _recorded(opened: EagerSteps, step: EagerStep, keys: Mapping[int, str], origins: Collection[int]) -> RecordedAt:
    counts, bad = opened.event_ranges.count, opened.bad.count
    bad_rows = [row for row in keys if bad[row]]
    tensors = {(keys[row], slot) for row in bad_rows for slot in _bad_slots(opened, row)}
    for wire in step.wires:
        maker, taker = step.rows[wire.source], step.rows[wire.target]
        if (
            bad[maker]
            and opened.executions.function[maker] != NONE
            and is_bad(opened, ExecutionWire(maker, wire.slot, taker, wire.position))
        ):
            tensors.add((wire.source, wire.slot))
    known = [event for event in origins if event < opened.event_count]
    began = np.searchsorted(opened.executions.number, opened.columns.whole("execution")[known])
    return RecordedAt(
        bad_tensors=frozenset(tensors),
        bad=frozenset(keys[row] for row in bad_rows),
        bad_elsewhere=frozenset(),
        recorded=frozenset(key for row, key in keys.items() if counts[row]),
        origins=frozenset(keys[row] for row in began.tolist() if row in keys),
    )


def _bad_slots(opened: EagerSteps, row: int) -> list[int]:
    """Which outputs of an eager operation are not finite; those of a call are told by what took them."""
    if opened.executions.function[row] != NONE:
        return []
    events = events_of(opened, row)
    slots: list[int] = opened.columns.whole("slot")[events[opened.columns.bad()[events]]].tolist()
    return slots


def _events_at(opened: EagerSteps, step: EagerStep, told: Sequence[Instance]) -> dict[str, NodeEvents]:
    chosen = {each.key: _telling(opened, step.rows[each.key]) for each in told}
    numbers = sorted({event for events in chosen.values() for event in events})
    seen = dict(zip(numbers, opened.rows(numbers), strict=True))
    return {key: _node_events(opened, step.rows[key], [seen[event] for event in chosen[key]]) for key in chosen}


def _telling(opened: EagerSteps, row: int) -> list[int]:
    """The outputs of an eager operation; of a call what is not finite first, and no more than that."""
    events = events_of(opened, row)
    if opened.executions.function[row] == NONE:
        found: list[int] = events.tolist()
        return found
    order: Ints = events[np.argsort(~opened.columns.bad()[events], kind="stable")]
    first: list[int] = order[:1].tolist()
    return first


def _node_events(opened: EagerSteps, row: int, seen: Sequence[SeenTensor]) -> NodeEvents:
    call = opened.executions.function[row] != NONE
    rows = {0 if call else each.slot: each for each in seen}
    return NodeEvents(rows, int(opened.event_ranges.count[row]), int(opened.bad.count[row]))
