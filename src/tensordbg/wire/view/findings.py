"""What went wrong, for the page: origins, warnings and alerts, each once."""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.wire.view.events import EventRow, InputRow
from tensordbg.wire.view.source import LineView


@dataclass(frozen=True)
class SpreadView:
    """What an origin spread to."""

    tensors: int
    """How many non-finite tensors were made from it."""
    reaches: tuple[str, ...]
    """Of `loss`, `gradient`, `variable` and `output` what it came to."""
    first: tuple[EventRow, ...]
    """The first few, each of another operation."""


@dataclass(frozen=True)
class ArrivalView:
    """Where the trouble of one process came into another."""

    process: str
    sender: str
    kind: str
    event: int
    tensor: str
    source: LineView | None


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, whatever its kind."""

    number: int
    """From 0, in the order of the list; names the finding in links."""
    kind: str
    """`origin`, `warning` or `alert`."""
    level: str
    """`trouble` (it came to something that matters), `warning`, `harmless` (died out, caught or meant) or `note`."""
    cause: str
    """Name of the cause, the warning or the alert, such as `log_of_zero`, `dead_units`, `retracing`."""
    title: str
    """A few words, `Log made 12 × -inf`."""
    explanation: str
    suggestion: str
    harmless_because: str
    """What kept it from doing harm, empty where nothing did or had to."""
    process: str
    function: str
    step: int | None
    iteration: int | None
    event: EventRow | None
    """The tensor to look at; null where it is none in particular."""
    occurrences: int
    """How often it happened."""
    inputs: tuple[InputRow, ...]
    source: LineView | None
    stack: tuple[LineView, ...]
    spread: SpreadView | None
    """Of an origin."""
    gradient_of: str
    """For an operation of a backward pass the forward tensor that it is the gradient of, empty otherwise."""
    arrivals: tuple[ArrivalView, ...]
    also: tuple[str, ...]
    """Other tensors, variables or functions in the same trouble."""


@dataclass(frozen=True)
class Findings:
    """All findings, what matters most first."""

    revision: int
    status: str
    """As in `tdbg why --json`."""
    summary: str
    """One sentence: what was found, or that nothing is wrong."""
    tensor_events: int
    non_finite_events: int
    findings: tuple[Finding, ...]
