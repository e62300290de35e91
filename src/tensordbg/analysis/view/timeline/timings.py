"""When and where the executions of a trace ran, as columns, and how their tensors fared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints, TraceSource, integers
from tensordbg.analysis.view.records.event_ranges import RecordedExecutions
from tensordbg.model import NONE


@dataclass(frozen=True)
class Timings:
    """Columns of `executions`, in the order of their number."""

    thread: Ints
    begin_ns: Ints
    end_ns: Ints
    """Of an eager operation and of a call that did not end its begin."""
    ended: Bools
    failed: Bools
    eager: Bools


@dataclass(frozen=True)
class Bad:
    """For each row of the executions what is not finite of it."""

    count: Ints
    first: Ints
    """Number of the first such event, `NONE` where there is none."""


@dataclass(frozen=True)
class DeviceWork:
    """The work of the devices: one row for an execution and a device."""

    row: Ints
    """Of the executions, ascending."""
    device: Ints
    """Position in `devices`."""
    begin_ns: Ints
    end_ns: Ints
    """When the first and the last of its tensors were recorded."""
    events: Ints
    bad: Ints
    devices: tuple[str, ...]


class FaredExecutions(RecordedExecutions, Protocol):
    """A trace that knows how its executions fared."""

    @property
    def bad(self) -> Bad:
        """Counts, for each execution, the events that are not finite."""


class TimedExecutions(FaredExecutions, Protocol):
    """A trace that also knows when and where they ran."""

    @property
    def timings(self) -> Timings:
        """When the executions ran."""

    @property
    def device_work(self) -> DeviceWork:
        """The work of each device for each execution."""


def read_timings(opened: TraceSource) -> Timings:
    """When the executions ran."""
    table = opened.table("executions", ["function", "thread", "begin_ns", "end_ns", "failed"])
    begin, end = integers(table, "begin_ns"), integers(table, "end_ns", NONE)
    return Timings(
        thread=integers(table, "thread"),
        begin_ns=begin,
        end_ns=np.where(end == NONE, begin, np.maximum(begin, end)),
        ended=end != NONE,
        failed=np.asarray(table.column("failed").fill_null(False).to_numpy(), dtype=np.bool_),
        eager=integers(table, "function", NONE) == NONE,
    )


def count_bad(opened: RecordedExecutions) -> Bad:
    """Counts, for each execution, the events that are not finite."""
    number = opened.executions.number
    events = np.flatnonzero(opened.columns.bad())
    row, known = _rows(number, opened.columns.whole("execution")[events])
    first = np.full(len(number), NONE, dtype=np.int64)
    first[row[::-1]] = events[known][::-1]  # the last assignment of a row counts
    return Bad(np.bincount(row, minlength=len(number)).astype(np.int64), first)


def work_of_devices(opened: RecordedExecutions) -> DeviceWork:
    """The work of each device for each execution."""
    execution, words = opened.columns.whole("execution"), opened.columns.words("device")
    changed = np.diff(execution, prepend=-2) != 0
    changed |= np.diff(words.code, prepend=-2) != 0
    starts = np.flatnonzero(changed)
    lengths = np.diff(starts, append=len(execution))
    time = opened.columns.whole("time_ns")
    bad = np.add.reduceat(opened.columns.bad(), starts, dtype=np.int64) if len(starts) else starts
    row, known = _rows(opened.executions.number, execution[starts])
    known &= words.code[starts] != NONE
    row, _ = _rows(opened.executions.number, execution[starts[known]])
    starts, lengths, bad = starts[known], lengths[known], bad[known]
    key, group = np.unique(row * max(len(words.texts), 1) + words.code[starts], return_inverse=True)
    begin, end = np.full(len(key), np.iinfo(np.int64).max), np.full(len(key), NONE)
    np.minimum.at(begin, group, time[starts])
    np.maximum.at(end, group, time[starts + lengths - 1])
    count = max(len(words.texts), 1)
    return DeviceWork(
        row=key // count,
        device=key % count,
        begin_ns=begin,
        end_ns=end,
        events=np.bincount(group, weights=lengths, minlength=len(key)).astype(np.int64),
        bad=np.bincount(group, weights=bad, minlength=len(key)).astype(np.int64),
        devices=words.texts,
    )


def _rows(number: Ints, execution: Ints) -> tuple[Ints, Bools]:
    """The rows of some executions, without those that the trace does not hold; and which it holds."""
    if not len(number):
        return np.empty(0, dtype=np.int64), np.zeros(len(execution), dtype=np.bool_)
    row = np.minimum(np.searchsorted(number, execution), len(number) - 1)
    known = number[row] == execution
    return row[known], known
