"""Origins grouped: each cause once, even where it shows again in every step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.origins import Origins
from tensordbg.analysis.reach import first_spread
from tensordbg.model import NONE

_AT_A_TIME = 60
"""Origins whose descendants are found in one pass: as many as there are bits."""

_SPREAD = 6


@dataclass(frozen=True)
class Group:
    """Origins at one output of one operation that matter, or that do not."""

    node: int
    """The first of them."""
    reach: int
    """Bits of `Reach`; of the first."""
    occurrences: int
    propagated: int
    spread: tuple[int, ...]
    """The first events made from it, each of another operation."""


def group_origins(origins: Origins) -> list[Group]:
    """Group origins: first those that matter, then in the order of the program."""
    graph = origins.graph
    consequential = origins.reach > 0
    keys = graph.port[origins.node] * 2 + consequential
    order = np.argsort(graph.rank[origins.node])
    _, first, counts = np.unique(keys[order], return_index=True, return_counts=True)
    sequence = np.lexsort((first, ~consequential[order[first]]))
    first, counts = order[first[sequence]], counts[sequence]
    groups: list[Group] = []
    for begin in range(0, len(first), _AT_A_TIME):
        chosen = first[begin : begin + _AT_A_TIME]
        nodes = origins.node[chosen]
        marks = np.zeros(len(graph), dtype=np.int64)
        marks[nodes] = np.int64(1) << np.arange(len(nodes))
        marks = graph.descend(marks)
        for bit, (node, reach, count) in enumerate(
            zip(
                nodes.tolist(), origins.reach[chosen].tolist(), counts[begin : begin + _AT_A_TIME].tolist(), strict=True
            )
        ):
            below = ((marks >> bit) & 1).astype(np.bool_)
            below[node] = False
            propagated = int((below & (graph.event != NONE)).sum())
            groups.append(Group(node, reach, count, propagated, tuple(first_spread(graph, below, _SPREAD))))
    return groups
