"""Tensor events, for the page: rows of the table, and one event with all around it."""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.wire.view.health import HealthView
from tensordbg.wire.view.source import LineView


@dataclass(frozen=True)
class EventRow:
    """One tensor computed, as a row of the table."""

    event: int
    tensor: str
    """Name and slot, `Log:0`."""
    op_type: str
    function: str
    execution: int
    """-1 for what no recorded execution caused."""
    step: int
    iteration: int | None
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
    layer: str
    """Path of the Keras layer that it belongs to, empty outside."""
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


@dataclass(frozen=True)
class Suggestions:
    """Words that may stand where the cursor is in the search field."""

    begin: int
    """Where the word begins that they would replace."""
    words: tuple[str, ...]
