"""Rows of the table of events, a page at a time, and where an event stands in a list."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.view.asked import EventList
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.rows import SeenTensor


@dataclass(frozen=True)
class Page:
    """Rows of a list."""

    revision: int
    total: int
    begin: int
    rows: tuple[SeenTensor, ...]


def read_page(opened: OpenedTrace, wanted: EventList, begin: int, count: int) -> Page:  # noqa: ARG001
    """At most so many rows of a list from a row on.

    Raises:
        UsageError: If the search or the order is not understood.
    """
    numbers = np.arange(begin, max(begin, min(begin + count, opened.event_count)))
    return Page(opened.growth.revision, opened.event_count, begin, tuple(opened.rows(numbers)))
