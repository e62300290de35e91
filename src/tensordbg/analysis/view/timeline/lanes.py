"""Executions over time in lanes: each by itself where there are few in range, else counted in bins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.function_titles import function_title
from tensordbg.analysis.view.timeline.bins import Spans, TimeBins, fill_bins
from tensordbg.analysis.view.timeline.timings import FaredExecutions, TimedExecutions, Timings
from tensordbg.errors import AbsentError, UsageError
from tensordbg.model import NONE

MOST_SPANS = 2000
"""Of a lane with more executions in range only bins are told."""
_PIXELS = 2
"""Width of a bin."""


@dataclass(frozen=True)
class LaneContent:
    """The work of one thread or one device in the range."""

    label: str
    thread: int
    device: str
    """Empty of a thread."""
    executions: int
    spans: Spans | None
    """None where there are bins."""
    bins: TimeBins | None


@dataclass(frozen=True)
class TimeRange:
    """A part of the timeline."""

    begin_ns: int
    end_ns: int
    first_ns: int
    """Of the whole trace."""
    last_ns: int
    lanes: tuple[LaneContent, ...]


@dataclass(frozen=True)
class OneExecution:
    """One execution."""

    row: int
    name: str
    events: int
    bad: int
    first_event: int | None
    first_bad_event: int | None


class Lanes(Protocol):
    """A trace whose executions are laid out in lanes."""

    @property
    def timings(self) -> Timings:
        """When the executions ran."""

    @property
    def lanes(self) -> list[tuple[LaneContent, Spans]]:
        """The lanes of the timeline with all that lies in them."""


class NamedExecutions(FaredExecutions, Protocol):
    """A trace that knows what its executions ran."""

    @property
    def program(self) -> Program:
        """The description of the program."""


class NamedTimings(NamedExecutions, Protocol):
    """A trace that knows when its executions ran."""

    @property
    def timings(self) -> Timings:
        """When the executions ran."""


def read_timeline(opened: Lanes, begin_ns: int | None, end_ns: int | None, width: int) -> TimeRange:
    """The executions in a range of time.

    Args:
        opened: The trace.
        begin_ns: Since 1970; None for the begin of the trace.
        end_ns: None for the end of the trace.
        width: How many pixels the range has.

    Raises:
        UsageError: If the range ends before it begins.
    """
    timings = opened.timings
    first = int(timings.begin_ns.min(initial=np.iinfo(np.int64).max)) if len(timings.begin_ns) else 0
    last = int(timings.end_ns.max(initial=first))
    begin = first if begin_ns is None else begin_ns
    end = max(last, begin) if end_ns is None else end_ns
    if begin > end:
        raise UsageError(f"the range from {begin} to {end} ns ends before it begins; give the earlier time first")
    lanes = [_content(lane, spans, (begin, end), max(1, width // _PIXELS)) for lane, spans in opened.lanes]
    return TimeRange(begin, end, first, last, tuple(lanes))


def find_lanes(opened: TimedExecutions) -> list[tuple[LaneContent, Spans]]:
    """All lanes with all that lies in them: the threads in the order of their begin, then the devices, if several."""
    return [*_threads(opened), *_devices(opened)]


def _threads(opened: TimedExecutions) -> Iterator[tuple[LaneContent, Spans]]:
    timings = opened.timings
    row = np.argsort(timings.begin_ns, kind="stable")
    whole = Spans(
        row=row,
        begin_ns=timings.begin_ns[row],
        end_ns=timings.end_ns[row],
        events=opened.event_ranges.count[row],
        bad=opened.bad.count[row],
        eager=timings.eager[row],
    )
    threads, first = np.unique(timings.thread[row], return_index=True)
    for number, thread in enumerate(threads[np.argsort(first)].tolist()):
        label = f"thread {number}" if number else "main thread"
        yield LaneContent(label, thread, "", 0, None, None), whole.where(timings.thread[row] == thread)


def _devices(opened: TimedExecutions) -> Iterator[tuple[LaneContent, Spans]]:
    if sum(bool(device) for device in opened.columns.words("device").texts) < 2:  # then the threads tell all
        return
    work = opened.device_work
    for number, device in enumerate(work.devices):
        if not device:
            continue
        mine = np.flatnonzero(work.device == number)
        mine = mine[np.argsort(work.begin_ns[mine], kind="stable")]
        row = work.row[mine]
        label = device.rpartition("/device:")[2] or device
        spans = Spans(
            row, work.begin_ns[mine], work.end_ns[mine], work.events[mine], work.bad[mine], opened.timings.eager[row]
        )
        yield LaneContent(label, 0, device, 0, None, None), spans


def _content(lane: LaneContent, spans: Spans, extent: tuple[int, int], bins: int) -> LaneContent:
    begin, end = extent
    inside = (spans.end_ns >= begin) & (spans.begin_ns <= end)
    chosen = spans if inside.all() else spans.where(inside)
    count = len(chosen.row)
    if count <= MOST_SPANS:
        return replace(lane, executions=count, spans=chosen)
    return replace(lane, executions=count, bins=fill_bins(chosen, np.linspace(begin, end, bins + 1).astype(np.int64)))


def execution_name(opened: NamedExecutions, row: int) -> str:
    """The Python name of the function that was called, or the type of the operation."""
    executions, program = opened.executions, opened.program
    function = program.functions.get(int(executions.function[row])) if executions.function[row] != NONE else None
    if function is not None:
        return function_title(function.name)
    return program.sites[int(executions.site[row])].op_type


def one_execution(opened: NamedExecutions, execution: int) -> OneExecution:
    """One execution.

    Raises:
        AbsentError: If there is none of this number.
    """
    number = opened.executions.number
    row = int(np.searchsorted(number, execution))
    if row >= len(number) or number[row] != execution:
        raise AbsentError(f"no execution {execution}; the trace has {len(number):,}, the first is {number[:1].sum()}")
    extents, bad = opened.event_ranges, opened.bad
    return OneExecution(
        row=row,
        name=execution_name(opened, row),
        events=int(extents.count[row]),
        bad=int(bad.count[row]),
        first_event=int(extents.first[row]) if extents.count[row] else None,
        first_bad_event=int(bad.first[row]) if bad.count[row] else None,
    )
