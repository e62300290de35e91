"""Which events belong to an execution: found in the column of executions, which is as long as the trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.program.events import Executions
from tensordbg.analysis.view.records.columns import EventColumns
from tensordbg.model import NONE


@dataclass(frozen=True)
class EventRanges:
    """For each row of the executions where its events lie; those of other threads may lie between them."""

    first: Ints
    """Number of the first event; the number of all events where there is none."""
    last: Ints
    """Number of the last, `NONE` where there is none."""
    count: Ints


class RecordedExecutions(EventColumns, Protocol):
    """A trace that knows which events belong to which execution."""

    @property
    def executions(self) -> Executions:
        """All executions."""

    @property
    def event_ranges(self) -> EventRanges:
        """Where the events of each execution lie."""


def find_event_ranges(number: Ints, execution: Ints) -> EventRanges:
    """Finds the events of all executions.

    Args:
        number: Of all executions, ascending.
        execution: Of each event.
    """
    starts = np.flatnonzero(np.diff(execution, prepend=-2))
    lengths = np.diff(starts, append=len(execution))
    row = np.searchsorted(number, execution[starts])
    known = row < len(number)
    known[known] = number[row[known]] == execution[starts][known]
    row, starts, lengths = row[known], starts[known], lengths[known]
    first = np.full(len(number), len(execution), dtype=np.int64)
    last = np.full(len(number), NONE, dtype=np.int64)
    np.minimum.at(first, row, starts)
    np.maximum.at(last, row, starts + lengths - 1)
    count = np.bincount(row, weights=lengths, minlength=len(number)).astype(np.int64)
    return EventRanges(first, last, count)


def events_of(opened: RecordedExecutions, row: int) -> Ints:
    """The numbers of the events of an execution, given by its row."""
    extents = opened.event_ranges
    if extents.last[row] == NONE:
        return np.empty(0, dtype=np.int64)
    first, last = int(extents.first[row]), int(extents.last[row])
    own = opened.columns.whole("execution")[first : last + 1] == opened.executions.number[row]
    return first + np.flatnonzero(own)
