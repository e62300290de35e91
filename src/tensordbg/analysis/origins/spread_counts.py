"""How far an origin spread: how many bad tensors were made from it, and the first few of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.flow.graph import BadGraph
from tensordbg.model import NONE

_AT_A_TIME = 60
"""Origins whose descendants are found in one pass: at most as many as a mark has bits."""

_SHOWN = 6


@dataclass(frozen=True)
class SpreadCount:
    """The bad values that were made from one origin."""

    events: int
    """Number of bad events."""
    first: tuple[int, ...]
    """The first of them in the order of the program, each of another operation."""
    read_at: int
    """The stack at which the program read the origin, or the first of them that it read; `NONE` where it read none."""


def count_spread(graph: BadGraph, starts: Sequence[tuple[int, ...]], read_at: Ints) -> list[SpreadCount]:
    """Follow what was made from some origins.

    Args:
        graph: What was made from which.
        starts: For each origin its node, and those of what is told with it, which count as made from it.
        read_at: For each node the stack at which the program read it, `NONE` where it did not.
    """
    found = []
    for begin in range(0, len(starts), _AT_A_TIME):
        chosen = starts[begin : begin + _AT_A_TIME]
        marks = np.zeros(len(graph), dtype=np.int64)
        for bit, nodes in enumerate(chosen):
            marks[list(nodes)] |= np.int64(1 << bit)
        marks = graph.descend(marks)
        for bit, nodes in enumerate(chosen):
            below = (marks & np.int64(1 << bit)) != 0
            read = np.flatnonzero(below & (read_at != NONE))
            first = int(read_at[read[np.argmin(graph.rank[read])]]) if len(read) else NONE
            below[nodes[0]] = False
            found.append(_spread_count(graph, below & (graph.event != NONE), first))
    return found


def _spread_count(graph: BadGraph, below: Bools, read_at: int) -> SpreadCount:
    nodes = np.flatnonzero(below)
    nodes = nodes[np.argsort(graph.rank[nodes])]
    _, first = np.unique(graph.port[nodes], return_index=True)
    return SpreadCount(len(nodes), tuple(graph.event[nodes[np.sort(first)[:_SHOWN]]].tolist()), read_at)
