"""Executions over time, for the page: each by itself where there are few, else counted in bins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from tensordbg.analysis.view.growth import Growth
from tensordbg.analysis.view.records.event_ranges import RecordedExecutions
from tensordbg.analysis.view.timeline.bins import Spans, TimeBins
from tensordbg.analysis.view.timeline.lanes import LaneContent, NamedTimings, OneExecution, TimeRange, execution_name
from tensordbg.model import NONE


@dataclass(frozen=True)
class Span:
    """One execution on the timeline."""

    execution: int
    begin_ns: int
    end_ns: int
    """Of an eager operation and of a call that did not end its begin."""
    name: str
    """Function, or operation type."""
    step: int
    eager: bool
    events: int
    non_finite: int
    failed: bool


@dataclass(frozen=True)
class Bin:
    """Executions of a short time together."""

    begin_ns: int
    end_ns: int
    functions: int
    eager: int
    events: int
    non_finite: int
    """How many of the executions have a tensor that is not finite."""
    busy: float
    """Share of the time in which a function ran, 0 to 1."""
    first_bad: int | None
    """The first such execution."""


@dataclass(frozen=True)
class Lane:
    """The work of one thread, or one device; it has spans or bins."""

    lane: int
    label: str
    thread: int
    device: str
    """Empty for a thread as a whole."""
    executions: int
    """In the range asked for."""
    spans: tuple[Span, ...]
    bins: tuple[Bin, ...]


@dataclass(frozen=True)
class Timeline:
    """All lanes in a range of time."""

    revision: int
    begin_ns: int
    """Of the range that is shown, since 1970."""
    end_ns: int
    first_ns: int
    """Of the whole trace."""
    last_ns: int
    executions: int
    """Of the whole trace."""
    lanes: tuple[Lane, ...]


@dataclass(frozen=True)
class ExecutionView:
    """One execution."""

    execution: int
    name: str
    eager: bool
    function: int | None
    step: int
    thread: int
    begin_ns: int
    end_ns: int | None
    failed: bool
    events: int
    non_finite: int
    first_event: int | None
    """Its tensor events are searched with `execution:N`."""
    first_bad_event: int | None


class GrowingTimeline(NamedTimings, Protocol):
    """A timeline of a trace that may grow."""

    @property
    def growth(self) -> Growth:
        """How far the trace had grown."""


def timeline_view(opened: GrowingTimeline, found: TimeRange) -> Timeline:
    """The lanes of a range of time."""
    return Timeline(
        revision=opened.growth.revision,
        begin_ns=found.begin_ns,
        end_ns=found.end_ns,
        first_ns=found.first_ns,
        last_ns=found.last_ns,
        executions=len(opened.executions),
        lanes=tuple(_lane(opened, number, lane) for number, lane in enumerate(found.lanes)),
    )


def _lane(opened: NamedTimings, number: int, lane: LaneContent) -> Lane:
    return Lane(
        lane=number,
        label=lane.label,
        thread=lane.thread,
        device=lane.device,
        executions=lane.executions,
        spans=() if lane.spans is None else tuple(_spans(opened, lane.spans)),
        bins=() if lane.bins is None else tuple(_bins(opened, lane.bins)),
    )


def _spans(opened: NamedTimings, spans: Spans) -> Iterator[Span]:
    executions, failed = opened.executions, opened.timings.failed
    for k, row in enumerate(spans.row.tolist()):
        yield Span(
            execution=int(executions.number[row]),
            begin_ns=int(spans.begin_ns[k]),
            end_ns=int(spans.end_ns[k]),
            name=execution_name(opened, row),
            step=int(executions.step[row]),
            eager=bool(spans.eager[k]),
            events=int(spans.events[k]),
            non_finite=int(spans.bad[k]),
            failed=bool(failed[row]),
        )


def _bins(opened: RecordedExecutions, bins: TimeBins) -> Iterator[Bin]:
    number = opened.executions.number
    for k, row in enumerate(bins.first_bad.tolist()):
        yield Bin(
            begin_ns=int(bins.begin_ns[k]),
            end_ns=int(bins.end_ns[k]),
            functions=int(bins.functions[k]),
            eager=int(bins.eager[k]),
            events=int(bins.events[k]),
            non_finite=int(bins.bad[k]),
            busy=float(bins.busy[k]),
            first_bad=None if row == NONE else int(number[row]),
        )


def execution_view(opened: NamedTimings, one: OneExecution) -> ExecutionView:
    """One execution."""
    executions, timings, row = opened.executions, opened.timings, one.row
    return ExecutionView(
        execution=int(executions.number[row]),
        name=one.name,
        eager=bool(timings.eager[row]),
        function=None if timings.eager[row] else int(executions.function[row]),
        step=int(executions.step[row]),
        thread=int(timings.thread[row]),
        begin_ns=int(timings.begin_ns[row]),
        end_ns=int(timings.end_ns[row]) if timings.ended[row] else None,
        failed=bool(timings.failed[row]),
        events=one.events,
        non_finite=one.bad,
        first_event=one.first_event,
        first_bad_event=one.first_bad_event,
    )
