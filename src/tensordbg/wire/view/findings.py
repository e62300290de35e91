"""Findings for the page: errors that ended the program, origins, warnings and alerts, each once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tensordbg.analysis.finding import Arrival, Origin
from tensordbg.analysis.view.findings.listing import AllFound, Found
from tensordbg.analysis.view.findings.outcomes import decided_text, ended_text
from tensordbg.analysis.view.findings.titles import why_harmless
from tensordbg.wire.view.events import EventRow, InputRow, event_row, input_rows
from tensordbg.wire.view.source import LineView, line_view, stack_view


@dataclass(frozen=True)
class SpreadView:
    """The spread of an origin."""

    tensors: int
    """How many non-finite tensors were made from it."""
    reaches: tuple[str, ...]
    """What it came to, such as `loss`, `variable`, or `branch` where it decided which one ran."""
    first: tuple[EventRow, ...]
    """The first few, each of another operation."""


@dataclass(frozen=True)
class OutcomeView:
    """Something that an origin decided, as a NaN was compared."""

    what: str
    """`loop` (it ended), `branch`, `choice`, `index` or `comparison`."""
    text: str
    """In words, with the line, the step and what compared the NaN."""
    step: int
    iteration: int | None
    source: LineView | None


@dataclass(frozen=True)
class BeginningView:
    """Where something came into being that a failed operation could not take."""

    what: str
    """`shape`, `size` (that was asked for), `dtype`, `value` (a number out of range), `wrapped` (a whole number that
    went round), `python` (a line of a Python function that a graph called) or `element` (of a dataset)."""
    text: str
    """What made it of what."""
    source: LineView | None


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
    """`failure` (the error of an operation that ended the program), `origin`, `warning` or `alert`."""
    level: str
    """`trouble` (it came to something that matters), `warning`, `harmless` (died out, caught or allowed) or `note`."""
    cause: str
    """Name of the cause, the warning, the alert or the error, such as `log_of_zero`, `dead_units`, `retracing`."""
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
    decided: tuple[OutcomeView, ...]
    """What an origin decided."""
    beginnings: tuple[BeginningView, ...]
    """Of an error: where the shape, type or number began that did not fit."""
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


def findings_view(everything: AllFound, revision: int) -> Findings:
    """All findings, in their order."""
    result = everything.result
    return Findings(
        revision=revision,
        status=result.status,
        summary=everything.summary,
        tensor_events=result.tensor_events,
        non_finite_events=result.non_finite_events,
        findings=tuple(_finding(number, found) for number, found in enumerate(everything.found)),
    )


def _finding(number: int, found: Found) -> Finding:
    origin, row = found.origin, found.row
    forward = None if origin is None else origin.gradient_of
    return Finding(
        number=number,
        kind=found.kind,
        level=found.level,
        cause=found.cause,
        title=found.title,
        explanation=found.explanation,
        suggestion=found.suggestion,
        harmless_because="" if origin is None else why_harmless(origin),
        process=found.process,
        function=found.function,
        step=None if row is None or row.step < 0 else row.step,
        iteration=None if row is None else row.iteration,
        event=None if row is None else event_row(row),
        occurrences=found.occurrences,
        inputs=input_rows(found.inputs),
        source=line_view(found.source),
        stack=stack_view(found.stack),
        spread=None if origin is None else _spread(origin, found),
        decided=() if origin is None else tuple(_outcomes(origin)),
        beginnings=tuple(
            BeginningView(each.what, each.explanation, line_view(each.source)) for each in found.beginnings
        ),
        gradient_of="" if forward is None else forward.tensor,
        arrivals=() if origin is None else tuple(map(_arrival, origin.arrivals)),
        also=found.also,
    )


def _spread(origin: Origin, found: Found) -> SpreadView:
    return SpreadView(origin.propagated, origin.reaches, tuple(map(event_row, found.spread)))


def _outcomes(origin: Origin) -> Iterator[OutcomeView]:
    for ended in origin.ended:
        yield OutcomeView("loop", ended_text(ended), ended.step, ended.iteration, line_view(ended.source))
    for each in origin.decided:
        yield OutcomeView(each.what, decided_text(each), each.step, each.iteration, line_view(each.source))


def _arrival(arrival: Arrival) -> ArrivalView:
    return ArrivalView(
        process=arrival.process,
        sender=arrival.sender,
        kind=arrival.kind,
        event=arrival.view.event,
        tensor=arrival.view.tensor,
        source=line_view(arrival.source),
    )
