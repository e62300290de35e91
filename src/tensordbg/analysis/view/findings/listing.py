"""Lists all that went wrong: errors, origins, warnings and alerts, each with the rows of its tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from tensordbg.analysis.failures.lead import message_and_inputs
from tensordbg.analysis.finding import (
    Alert,
    Beginning,
    InputView,
    NumericalWarning,
    Origin,
    ProgramFailure,
    SourceLine,
    TensorView,
    WhyResult,
)
from tensordbg.analysis.names.listing import split_slot
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.view.event.neighbours import Neighbour, with_rows
from tensordbg.analysis.view.findings.titles import alert_title, failure_title, origin_title, warning_title
from tensordbg.analysis.view.records.rows import EventRows, SeenTensor
from tensordbg.analysis.view.records.sites import NamedEvents

LEVELS = ("trouble", "warning", "note", "harmless")
"""How much a finding matters, from the most."""


@dataclass(frozen=True)
class Found:
    """One thing that is wrong, whatever its kind."""

    kind: str
    """`failure`, `origin`, `warning` or `alert`."""
    level: str
    """One of `LEVELS`."""
    cause: str
    title: str
    explanation: str
    suggestion: str
    process: str
    function: str
    row: SeenTensor | None
    """The tensor to look at."""
    source: SourceLine | None
    stack: tuple[SourceLine, ...]
    also: tuple[str, ...] = ()
    occurrences: int = 1
    inputs: tuple[Neighbour, ...] = ()
    spread: tuple[SeenTensor, ...] = ()
    beginnings: tuple[Beginning, ...] = ()
    """Of an error: where what did not fit came into being."""
    origin: Origin | None = field(default=None)
    """All that is said of an origin."""


@dataclass(frozen=True)
class AllFound:
    """Everything that was found in a run."""

    result: WhyResult
    summary: str
    found: tuple[Found, ...]


class NotedFindings(NamedEvents, EventRows, Protocol):
    """A trace that findings name tensors and lines of."""

    @property
    def locations(self) -> Locations:
        """Stacks with the text of their lines."""


def all_findings(result: WhyResult, processes: Mapping[str, NotedFindings]) -> AllFound:
    """Puts all findings into one list.

    Args:
        result: Of `why_of_run`.
        processes: The opened traces by the names that the result bears: "" where there is only one.
    """
    found = [
        *(_origin(origin, processes[origin.process]) for origin in result.origins),
        *(_failure(failure, processes[failure.process]) for failure in result.failures),
        *(_warning(warning, processes[warning.process]) for warning in result.warnings),
        *(_alert(alert, processes[alert.process]) for alert in result.alerts),
    ]
    found.sort(key=lambda each: LEVELS.index(each.level))
    return AllFound(result, " ".join(_summary(result, found)), tuple(found))


def _failure(failure: ProgramFailure, opened: NotedFindings) -> Found:
    return Found(
        kind="failure",
        level="trouble",
        cause=failure.error,
        title=failure_title(failure),
        explanation=message_and_inputs(failure),
        suggestion="",
        process=failure.process,
        function=failure.function,
        row=None,
        source=failure.source,
        stack=failure.stack,
        inputs=_inputs(failure.inputs, opened),
        beginnings=failure.beginnings,
    )


def _inputs(inputs: tuple[InputView, ...], opened: EventRows) -> tuple[Neighbour, ...]:
    return with_rows(
        opened,
        [
            Neighbour(
                k,
                each.tensor,
                each.op_type,
                None if each.recorded is None else each.recorded.event,
                stated=each.stated,
                elements=each.elements,
            )
            for k, each in enumerate(inputs)
        ],
    )


def _origin(origin: Origin, opened: NotedFindings) -> Found:
    return Found(
        kind="origin",
        level="trouble" if origin.consequential else "harmless",
        cause=origin.cause,
        title=origin_title(origin),
        explanation=origin.explanation,
        suggestion=origin.suggestion,
        process=origin.process,
        function=origin.function,
        row=_row(origin.view, opened),
        source=origin.place,
        stack=origin.stack,
        occurrences=origin.occurrences,
        inputs=_inputs(origin.inputs, opened),
        spread=tuple(opened.rows([view.event for view in origin.spread])),
        origin=origin,
    )


def _row(view: TensorView, opened: EventRows) -> SeenTensor:
    """The row of a tensor; what was written into a variable has the name of the write."""
    row = opened.row(view.event)
    return replace(
        row,
        tensor=view.tensor,
        op_name=view.op_name,
        op_type=view.op_type,
        function=view.function,
        execution=view.execution,
        step=view.step,
        iteration=view.iteration,
    )


def _warning(warning: NumericalWarning, opened: NotedFindings) -> Found:
    return Found(
        kind="warning",
        level="warning",
        cause=warning.kind,
        title=warning_title(warning),
        explanation=warning.explanation,
        suggestion=warning.suggestion,
        process=warning.process,
        function=warning.view.function,
        row=_row(warning.view, opened),
        source=warning.source,
        stack=opened.locations.stack(opened.site(warning.view.site).site.stack),
        also=warning.also,
    )


def _alert(alert: Alert, opened: NotedFindings) -> Found:
    return Found(
        kind="alert",
        level="note",
        cause=alert.kind,
        title=alert_title(alert),
        explanation=alert.explanation,
        suggestion=alert.suggestion,
        process=alert.process,
        function=alert.function,
        row=_first_of(alert, opened) if alert.tensor else None,
        source=alert.source,
        stack=() if alert.source is None else (alert.source,),
    )


def _first_of(alert: Alert, opened: NotedFindings) -> SeenTensor | None:
    """The first event of the tensor that an alert is about."""
    name, slot = split_slot(alert.tensor)
    sites = [
        number
        for number, names in opened.sites.items()
        if names.site.name == name and alert.function in ("", names.function)
    ]
    fits = np.isin(opened.columns.whole("site"), sites) & (opened.columns.whole("slot") == (slot or 0))
    return opened.row(int(fits.argmax())) if fits.any() else None


def _summary(result: WhyResult, found: list[Found]) -> Iterator[str]:
    """What was found, in words."""
    ended = {failure.process for failure in result.failures}
    if len(ended) > 1:
        yield f"{len(ended):,} processes ended with an error."
    elif ended:
        yield f"{''.join(ended) or 'The program'} ended with an error."
    if not result.measured:
        yield "The values of tensors were not recorded; run with --detail health to know more."
    elif not result.tensor_events:
        yield "No tensor was recorded."
    elif not result.non_finite_events:
        one = result.tensor_events == 1
        yield "The only tensor was finite." if one else f"All {result.tensor_events:,} tensors were finite."
    else:
        verb = "is" if result.non_finite_events == 1 else "are"
        yield f"{result.non_finite_events:,} of {result.tensor_events:,} recorded tensors {verb} not finite."
        troubles = sum(each.level == "trouble" and each.origin is not None for each in found)
        if troubles:
            yield f"The trouble started at {troubles:,} place{'s' * (troubles > 1)}."
        else:
            yield "Nothing came of it."
    warnings = sum(each.kind == "warning" for each in found)
    if warnings:
        yield f"There {'are' if warnings > 1 else 'is'} {warnings:,} warning{'s' * (warnings > 1)}."
