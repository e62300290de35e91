"""One tensor event with all around it: what it was computed from, what from it, and the code that made it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tensordbg.analysis.causes.case import unravelled
from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.flow.call_chain import telling_stack
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.tensors.batch_origins import BatchOrigins
from tensordbg.analysis.view.event.neighbours import (
    MOST_CONSUMERS,
    Neighbour,
    Neighbourhood,
    find_consumers,
    find_inputs,
    with_rows,
)
from tensordbg.analysis.view.records.rows import EventRows, SeenTensor
from tensordbg.analysis.view.records.sites import NamedSites, SiteNames


@dataclass(frozen=True)
class OneEvent:
    """One tensor event."""

    row: SeenTensor
    names: SiteNames
    first_bad_index: tuple[int, ...] | None
    inputs: tuple[Neighbour, ...]
    consumers: tuple[Neighbour, ...]
    consumers_total: int
    stack: tuple[SourceLine, ...]
    """Outermost first: of the operation, or where that has no line of the user's, of the call around it."""
    source: SourceLine | None
    notes: tuple[str, ...]
    """Of its function."""
    came_from: tuple[str, ...]
    """In a pipeline with origins, the names of the element that it was computed for, or of each row of the batch."""


class DescribedEvents(Neighbourhood, EventRows, NamedSites, Protocol):
    """A trace that knows all around an event."""

    @property
    def locations(self) -> Locations:
        """Stacks with the text of their lines."""

    @property
    def batch_origins(self) -> BatchOrigins:
        """Which elements a batch consists of."""


def one_event(opened: DescribedEvents, event: int) -> OneEvent:
    """One event with all around it.

    Raises:
        AbsentError: If there is no such event.
    """
    row = opened.row(event)
    names = opened.site(row.site)
    inputs, consumers = find_inputs(opened, event), find_consumers(opened, event)
    local_flow = opened.local_flow(event)
    stack = opened.locations.stack(telling_stack(local_flow.values, local_flow.local(event), names.site))
    function = opened.program.functions.get(names.site.function)
    return OneEvent(
        row=row,
        names=names,
        first_bad_index=unravelled(row.health, row.shape),
        inputs=with_rows(opened, inputs),
        consumers=with_rows(opened, consumers[:MOST_CONSUMERS]),
        consumers_total=len(consumers),
        stack=stack,
        source=opened.locations.own(stack),
        notes=() if function is None else function.notes,
        came_from=opened.batch_origins.of_event(event),
    )
