"""Marks carried along the edges of a graph until nothing changes.

The graphs are deep (a NaN runs through ten thousand steps) and narrow, so going level by level would take as long as
there are levels. Instead the edges are taken once in the order of recording, in which nearly all sources come before
their targets; what that order got wrong is fixed afterwards.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.columns.reading import Ints

_PIECE = 1 << 16
"""So many edges are Python numbers at a time: those take ten times the room."""


def spread(marks: Ints, source: Ints, target: Ints, rank: Ints) -> Ints:
    """Give every node the marks of all nodes from which it can be reached.

    Args:
        marks: For each node its own marks, as bits.
        source: Where each edge begins.
        target: Where each edge ends.
        rank: For each node a number that mostly grows along the edges.

    Returns:
        For each node its own marks and all that reach it.
    """
    if not len(source):
        return marks
    order = np.argsort(rank[target], kind="stable")
    source, target = source[order], target[order]
    found = marks.tolist()
    for first in range(0, len(order), _PIECE):
        piece = slice(first, first + _PIECE)
        for begin, end in zip(source[piece].tolist(), target[piece].tolist(), strict=True):
            if found[begin]:
                found[end] |= found[begin]
    result = np.array(found, dtype=np.int64)
    late = np.flatnonzero(result[source] & ~result[target])
    return result if not len(late) else _repaired(found, source, target, source[late])


def _repaired(found: list[int], source: Ints, target: Ints, fresh: Ints) -> Ints:
    """Carry on from nodes whose marks have not reached their targets yet."""
    order = np.argsort(source, kind="stable")
    ends = target[order].tolist()
    starts = np.searchsorted(source[order], np.arange(len(found) + 1)).tolist()
    waiting = fresh.tolist()
    while waiting:
        node = waiting.pop()
        for end in ends[starts[node] : starts[node + 1]]:
            new = found[end] | found[node]
            if new != found[end]:
                found[end] = new
                waiting.append(end)
    return np.array(found, dtype=np.int64)
