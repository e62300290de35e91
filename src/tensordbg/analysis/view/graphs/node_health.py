"""Gathers what was recorded at the operations of a graph: in the chosen execution, and anywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tensordbg.analysis.program.call_tree import Instance, without_numbers
from tensordbg.analysis.view.event.local_flow import LocalFlows
from tensordbg.analysis.view.records.rows import EventRows, SeenTensor
from tensordbg.analysis.view.records.source_margins import CountedSites


@dataclass(frozen=True)
class NodeEvents:
    """The events recorded at one operation."""

    rows: Mapping[int, SeenTensor]
    """By slot, in the chosen execution and iteration."""
    events: int
    """How many there are over all executions."""
    bad: int
    """How many of those are not finite."""

    @property
    def health(self) -> str:
        """`bad` (of the chosen execution), `bad_elsewhere`, `fine`, `unmeasured` or `unrecorded`."""
        if any(row.health is not None and row.health.non_finite for row in self.rows.values()):
            return "bad"
        if self.bad:
            return "bad_elsewhere"
        if not self.events:
            return "unrecorded"
        measured = [row.health is not None for row in self.rows.values()]
        return "unmeasured" if measured and not any(measured) else "fine"


class RecordedNodes(CountedSites, LocalFlows, EventRows, Protocol):
    """A trace that tells what was recorded at operations."""


def key_of_event(opened: EventRows, event: int) -> str:
    """The call path and name of an event's operation, as a `CallTree` names it."""
    row = opened.row(event)
    return _key(row.path, row.op_name)


def events_at_nodes(opened: RecordedNodes, nodes: Sequence[Instance], centre: int | None) -> dict[str, NodeEvents]:
    """Gathers what was recorded at some operations, by their keys.

    Args:
        opened: The trace.
        nodes: The operations.
        centre: The chosen event; of the others in its execution those of its iteration of a loop count, else the
        nearest.
    """
    chosen: dict[str, dict[int, int]] = {}
    if centre is not None:
        chosen = _chosen(opened, {node.site.site for node in nodes}, centre)
    numbers = sorted({event for slots in chosen.values() for event in slots.values()})
    rows = dict(zip(numbers, opened.rows(numbers), strict=True))
    counts = opened.site_counts
    return {
        node.key: NodeEvents(
            {slot: rows[event] for slot, event in sorted(chosen.get(node.key, {}).items())},
            int(counts.events[node.site.site]),
            int(counts.bad[node.site.site]),
        )
        for node in nodes
    }


def _chosen(opened: RecordedNodes, sites: set[int], centre: int) -> dict[str, dict[int, int]]:
    """By key and slot the event of each operation in the execution of the chosen event."""
    local_flow = opened.local_flow(centre)
    events, local = local_flow.values.events, local_flow.local(centre)
    own = np.flatnonzero((events.execution == events.execution[local]) & np.isin(events.site, list(sites)))
    turn = (events.frame[own] == events.frame[local]) & (events.iteration[own] == events.iteration[local])
    of_same = events.run[own] == events.run[local]
    # The last that is put into the table stays, so the best comes last.
    order = np.lexsort((-np.abs(own - local), turn, of_same))
    found: dict[str, dict[int, int]] = {}
    for place in own[order].tolist():
        path = opened.program.paths.get(int(events.path[place]), "")
        key = _key(path, opened.site(int(events.site[place])).site.name)
        found.setdefault(key, {})[int(events.slot[place])] = int(local_flow.events[place])
    return found


def _key(path: str, name: str) -> str:
    plain = without_numbers(path)
    return f"{plain}/{name}" if plain else name
