"""Origins grouped: each operation once, even where it is an origin again in every step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.origins import Origins


@dataclass(frozen=True)
class Group:
    """Origins at one output of one operation that matter, or those that do not."""

    node: int
    """The first of them."""
    reach: int
    """Bits of `Reach`; of the first."""
    occurrences: int
    kin: tuple[int, ...] = ()
    """Nodes of the first origins of its gradients, see `kinship.py`."""


def group_origins(origins: Origins) -> list[Group]:
    """Group origins: first those that matter, then in the order of the program."""
    graph = origins.graph
    consequential = origins.reach > 0
    keys = graph.port[origins.node] * 2 + consequential
    order = np.argsort(graph.rank[origins.node])
    _, first, counts = np.unique(keys[order], return_index=True, return_counts=True)
    sequence = np.lexsort((first, ~consequential[order[first]]))
    chosen = order[first[sequence]]
    columns = (origins.node[chosen].tolist(), origins.reach[chosen].tolist(), counts[sequence].tolist())
    return [Group(node, reach, count) for node, reach, count in zip(*columns, strict=True)]
