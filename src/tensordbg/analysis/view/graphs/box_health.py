"""Counts what was recorded of the operations of a whole graph, for the boxes that they lie in."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.program.call_tree import CallTree, without_numbers
from tensordbg.analysis.view.graphs.node_health import RecordedNodes

Tensor = tuple[str, int]
"""Key of an operation, and slot."""


@dataclass(frozen=True)
class Inside:
    """A count of what was recorded of some operations together."""

    health: str
    """`bad` (one of them, in the chosen execution), `bad_elsewhere`, `fine` or `unrecorded`."""
    bad: int
    """How many of them are not finite: in the chosen execution or, if there are none, in another one."""
    origin: bool
    """Whether the trouble of the chosen execution began in one of them."""


@dataclass(frozen=True)
class RecordedAt:
    """The state of a graph's operations, by their keys: bad, recorded, origins."""

    bad_tensors: frozenset[Tensor]
    """In the chosen execution, in any iteration of a loop; in any execution where none is chosen."""
    bad: frozenset[str]
    """The operations with such a tensor."""
    bad_elsewhere: frozenset[str]
    """Those of which something is not finite in whatever execution."""
    recorded: frozenset[str]
    origins: frozenset[str]

    def inside(self, operations: Collection[str]) -> Inside:
        """Counts for some of the operations together."""
        here, elsewhere = (sum(each in of for each in operations) for of in (self.bad, self.bad_elsewhere))
        known = any(each in self.recorded for each in operations)
        health = "bad" if here else "bad_elsewhere" if elsewhere else "fine" if known else "unrecorded"
        return Inside(health, here or elsewhere, any(each in self.origins for each in operations))


def recorded_at(opened: RecordedNodes, tree: CallTree, event: int | None, origins: Collection[int]) -> RecordedAt:
    """Gathers what was recorded of all operations of a graph.

    Args:
        opened: The trace.
        tree: The graph, all of whose calls are opened.
        event: The chosen execution is that of this event; None for none.
        origins: The events that the findings name as such.
    """
    counts, instances = opened.site_counts, tree.instances
    elsewhere = frozenset(key for key, each in instances.items() if counts.bad[each.site.site])
    if event is None:
        bad = frozenset((key, slot) for key in elsewhere for slot in range(len(instances[key].site.dtypes)))
        began: frozenset[Tensor] = frozenset()
    else:
        bad, began = _in_execution(opened, event, origins)
    return RecordedAt(
        bad_tensors=bad,
        bad=frozenset(key for key, _ in bad),
        bad_elsewhere=elsewhere,
        recorded=frozenset(key for key, each in instances.items() if counts.events[each.site.site]),
        origins=frozenset(key for key, _ in began),
    )


def _in_execution(
    opened: RecordedNodes, event: int, origins: Collection[int]
) -> tuple[frozenset[Tensor], frozenset[Tensor]]:
    """The tensors of an event's execution that are not finite, and those that are origins."""
    local_flow = opened.local_flow(event)
    events = local_flow.values.events
    own = np.flatnonzero(events.execution == events.execution[local_flow.local(event)])
    began = own[np.isin(local_flow.events[own], np.asarray(sorted(origins), dtype=np.int64))]
    return frozenset(_tensors(opened, event, own[events.bad[own]])), frozenset(_tensors(opened, event, began))


def _tensors(opened: RecordedNodes, event: int, local: Ints) -> Iterable[Tensor]:
    """The tensors that events of a local flow are of, each once."""
    events = opened.local_flow(event).values.events
    columns = np.stack([events.path[local], events.site[local], events.slot[local]])
    for path, site, slot in np.unique(columns, axis=1).T.tolist():
        plain = without_numbers(opened.program.paths.get(path, ""))
        name = opened.site(site).site.name
        yield (f"{plain}/{name}" if plain else name), slot
