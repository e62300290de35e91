"""Rows of the table of events, a page at a time, and where an event stands in a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.view.growth import Growth
from tensordbg.analysis.view.records.rows import EventRows, SeenTensor
from tensordbg.analysis.view.records.sites import NamedEvents
from tensordbg.analysis.view.requests import EventList
from tensordbg.analysis.view.search.matching import find_events
from tensordbg.analysis.view.table.order import check_order, sort_events
from tensordbg.errors import UsageError

DIRECTIONS = ("forward", "backward")


@dataclass(frozen=True)
class Page:
    """Rows of a list."""

    revision: int
    total: int
    begin: int
    rows: tuple[SeenTensor, ...]


@dataclass(frozen=True)
class EventNumbers:
    """The numbers of the events of a list, in its order."""

    total: int
    numbers: Ints | None
    """Ascending if the list is `by_event`; None for all events."""
    by_event: bool
    descending: bool
    """Of a list that is `by_event`: it is read from its end."""

    def part(self, begin: int, count: int) -> Ints:
        """Some of them from a row on; fewer at the end."""
        rows = np.arange(min(begin, self.total), min(begin + count, self.total))
        if self.by_event and self.descending:
            rows = self.total - 1 - rows
        return rows if self.numbers is None else self.numbers[rows]

    def row_of(self, event: int) -> int | None:
        """The row of an event, if it is in the list."""
        if not self.by_event and self.numbers is not None:
            found = np.flatnonzero(self.numbers == event)
            return int(found[0]) if len(found) else None
        row = self.rank(event)
        if row >= self.total or self._at(row) != event:
            return None
        return self.total - 1 - row if self.descending else row

    def rank(self, event: int) -> int:
        """How many smaller numbers there are in a list that is `by_event`."""
        return min(max(event, 0), self.total) if self.numbers is None else int(np.searchsorted(self.numbers, event))

    def _at(self, row: int) -> int:
        return row if self.numbers is None else int(self.numbers[row])


class EventLists(EventRows, Protocol):
    """A trace that keeps the lists of events that were asked for last."""

    @property
    def growth(self) -> Growth:
        """How far the trace had grown."""

    def numbers(self, wanted: EventList) -> EventNumbers:
        """The numbers of a list of events; a `UsageError` if it is not understood."""


def list_numbers(opened: NamedEvents, wanted: EventList) -> EventNumbers:
    """The numbers of a list; worked out anew, see `OpenedTrace.numbers`.

    Raises:
        UsageError: If the search or the order is not understood.
    """
    check_order(wanted.order)
    found = find_events(opened, wanted.search) if wanted.search.strip() else None
    total = opened.event_count if found is None else len(found)
    if wanted.order == "event":
        return EventNumbers(total, found, True, wanted.descending)
    return EventNumbers(total, sort_events(opened, found, wanted.order, wanted.descending), False, False)


def read_page(opened: EventLists, wanted: EventList, begin: int, count: int) -> Page:
    """At most so many rows of a list from a row on.

    Raises:
        UsageError: If the search or the order is not understood.
    """
    numbers = opened.numbers(wanted)
    return Page(opened.growth.revision, numbers.total, begin, tuple(opened.rows(numbers.part(begin, count))))


def place_of(opened: EventLists, wanted: EventList, event: int) -> int | None:
    """The row of an event in a list; None where it is not in it.

    Raises:
        UsageError: If the search or the order is not understood.
        AbsentError: If there is no such event.
    """
    opened.check_event(event)
    return opened.numbers(wanted).row_of(event)


def next_event(opened: EventLists, search: str, event: int, direction: str) -> tuple[int, int] | None:
    """The next event that fits a search, with its row in the list that is in the order of the events.

    Args:
        opened: The trace.
        search: See `search.py`.
        event: Where to begin: -1 is before the first, and this event itself does not count.
        direction: `forward` or `backward`.

    Raises:
        UsageError: If the search or the direction is not understood.
    """
    if direction not in DIRECTIONS:
        raise UsageError(f"{direction!r} is no direction; choose one of {', '.join(DIRECTIONS)}")
    numbers = opened.numbers(EventList(search))
    row = numbers.rank(event + 1) if direction == "forward" else numbers.rank(event) - 1
    if not 0 <= row < numbers.total:
        return None
    return int(numbers.part(row, 1)[0]), row
