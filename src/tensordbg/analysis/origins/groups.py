"""Origins grouped: each operation once, even where it is an origin again in every step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.origins.allowed import allowed_nodes
from tensordbg.analysis.origins.find import Origins
from tensordbg.analysis.origins.loss_scaling import caught_origins

_FIRST = 64
"""Of so many occurrences the devices are looked at."""


@dataclass(frozen=True)
class Group:
    """Origins at one output of one operation that matter, those that were caught, or those that do not matter."""

    node: int
    """The first of them."""
    reach: int
    """Bits of `Reach`; of the first."""
    occurrences: int
    caught: bool = False
    """Whether the update was left out for it, see `loss_scaling.py`."""
    allowed: bool = False
    """Whether its author allows it, see `allowed.py`."""
    unread: bool = False
    """Whether it does not matter since nothing read what was made of it."""
    events: tuple[int, ...] = ()
    """Of the first of them: which devices they were on tells whether they were in several replicas."""


def group_origins(origins: Origins) -> list[Group]:
    """Group origins: first those that matter, then in the order of the program."""
    graph = origins.graph
    consequential = origins.reach > 0
    caught = caught_origins(origins)
    allowed = allowed_nodes(origins.values, graph, origins.node)
    keys = graph.port[origins.node] * 4 + np.where(allowed, 3, consequential + caught)
    order = np.argsort(graph.rank[origins.node])
    _, first, inverse, counts = np.unique(keys[order], return_index=True, return_inverse=True, return_counts=True)
    sequence = np.lexsort((first, ~consequential[order[first]]))
    chosen = order[first[sequence]]
    unread = origins.unread[origins.node] & ~consequential
    columns = (origins.node[chosen], origins.reach[chosen], counts[sequence], caught[chosen], allowed[chosen])
    members = np.split(order[np.argsort(inverse, kind="stable")], np.cumsum(counts)[:-1])
    events = [tuple(graph.event[origins.node[members[number][:_FIRST]]].tolist()) for number in sequence.tolist()]
    return [Group(*row) for row in zip(*(each.tolist() for each in (*columns, unread[chosen])), events, strict=True)]
