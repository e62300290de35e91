"""Tensor events, for the page: rows of the table, and one event with all around it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tensordbg.analysis.program.function_titles import function_title
from tensordbg.analysis.view.event.neighbours import Neighbour
from tensordbg.analysis.view.event.one_event import OneEvent
from tensordbg.analysis.view.records.rows import SeenTensor
from tensordbg.analysis.view.search.suggestions import Completion
from tensordbg.analysis.view.table.page import Page
from tensordbg.wire.view.health import HealthView, health_view
from tensordbg.wire.view.source import LineView, line_view, stack_view


@dataclass(frozen=True)
class EventRow:
    """One tensor computed, as a row of the table."""

    event: int
    tensor: str
    """Name and slot, `Log:0`."""
    op_type: str
    function: str
    """Its name in the trace, by which it can be searched for; empty for eager code."""
    function_title: str
    """For a reader: `gradient of f`."""
    execution: int
    """-1 for what no recorded execution caused."""
    step: int
    iteration: int | None
    iterations: tuple[int, ...]
    """In loops of one another those of all of them, the outermost first; else empty."""
    path: str
    """Call path inside the function, empty at its root."""
    device: str
    dtype: str
    shape: tuple[int, ...] | None
    health: HealthView | None
    file: str
    """Of the innermost line of the user's own code; empty where there is none."""
    line: int
    kept: bool
    """Whether its elements were kept."""
    text: str
    """The first elements, of strings that were kept; else empty."""
    layer: str
    """Path of the layer that it belongs to, empty outside."""


@dataclass(frozen=True)
class EventPage:
    """Rows of the table from `begin` on, in the order asked for."""

    revision: int
    """Of the trace, see `Live`."""
    total: int
    """How many events the search has."""
    begin: int
    rows: tuple[EventRow, ...]


@dataclass(frozen=True)
class EventPlace:
    """Where an event stands in what a search found."""

    event: int | None
    """Null where there is none such."""
    row: int | None


@dataclass(frozen=True)
class InputRow:
    """One input of an operation, or a consumer of what it computed."""

    slot: int
    """Which input: of the chosen event's operation, or of the consumer."""
    tensor: str
    """The name that it has there; of a consumer its operation's name."""
    op_type: str
    row: EventRow | None
    """The recorded event, wherever it is: in a caller, an earlier execution; null where none was recorded."""
    stated: str
    """`float32[?, 3]`, of what was not recorded, as far as type and shape are known."""
    elements: str
    """`[2, 4, 14]`, of a small tensor that a failed operation was given; empty where they are not known."""


@dataclass(frozen=True)
class EventView:
    """One event with all around it."""

    row: EventRow
    op_name: str
    slot: int
    outputs: int
    """How many outputs its operation has."""
    time_ns: int
    """Since 1970."""
    thread: int
    asked: str
    """The device that the program asked for."""
    first_bad_index: tuple[int, ...] | None
    attributes: str
    """A JSON object."""
    inputs: tuple[InputRow, ...]
    consumers: tuple[InputRow, ...]
    consumers_total: int
    """`consumers` may be fewer."""
    source: LineView | None
    stack: tuple[LineView, ...]
    """Outermost first."""
    notes: tuple[str, ...]
    """Of its function, such as that it was meant to be compiled by XLA."""
    finding: int | None
    """Number of the finding whose origin it is."""
    came_from: tuple[str, ...]
    """In a pipeline with origins, the names of the element that it was computed for, or of each row of a batch."""


@dataclass(frozen=True)
class Suggestions:
    """Words that may stand where the cursor is in the search field."""

    begin: int
    """Where the word begins that they would replace."""
    words: tuple[str, ...]


def event_row(seen: SeenTensor) -> EventRow:
    """A row of the table."""
    return EventRow(
        event=seen.event,
        tensor=seen.tensor,
        op_type=seen.op_type,
        function=seen.function,
        function_title=function_title(seen.function),
        execution=seen.execution,
        step=seen.step,
        iteration=seen.iteration,
        iterations=seen.iterations,
        path=seen.path,
        device=seen.device,
        dtype=seen.dtype,
        shape=seen.shape,
        health=None if seen.health is None else health_view(seen.health),
        file="" if seen.source is None else seen.source.file,
        line=0 if seen.source is None else seen.source.line,
        kept=seen.kept,
        text=seen.text,
        layer=seen.layer,
    )


def page_view(page: Page) -> EventPage:
    """Rows of the table."""
    return EventPage(page.revision, page.total, page.begin, tuple(map(event_row, page.rows)))


def input_rows(neighbours: Iterable[Neighbour]) -> tuple[InputRow, ...]:
    """Inputs or consumers."""
    return tuple(
        InputRow(
            each.slot,
            each.tensor,
            each.op_type,
            None if each.row is None else event_row(each.row),
            each.stated,
            each.elements,
        )
        for each in neighbours
    )


def event_view(one: OneEvent, finding: int | None) -> EventView:
    """One event with all around it; `finding` is the number of the one whose origin it is."""
    site = one.names.site
    return EventView(
        row=event_row(one.row),
        op_name=one.row.op_name,
        slot=one.row.slot,
        outputs=len(site.dtypes),
        time_ns=one.row.time_ns,
        thread=one.row.thread,
        asked=one.row.asked,
        first_bad_index=one.first_bad_index,
        attributes=site.attributes,
        inputs=input_rows(one.inputs),
        consumers=input_rows(one.consumers),
        consumers_total=one.consumers_total,
        source=line_view(one.source),
        stack=stack_view(one.stack),
        notes=one.notes,
        finding=finding,
        came_from=one.came_from,
    )


def suggestions_view(completion: Completion) -> Suggestions:
    """The words that may stand at the cursor."""
    return Suggestions(completion.begin, completion.words)
