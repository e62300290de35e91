"""Takes from what a trace describes the references that lead out of a graph: what an operation takes lies in its own.

All values of a graph lie side by side, and the walk adds up positions in it; one that belongs to another graph would be
looked for where nothing is, or something else. A sound trace has no such reference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.model import NONE, Function, Site, TensorRef

_UNKNOWN = NONE - 1


def edges_within_graphs(edges: Ints, sites: Mapping[int, Site]) -> Ints:
    """Those edges of which both ends are known and in one graph."""
    graph = np.full(max(sites, default=-1) + 2, _UNKNOWN, dtype=np.int64)  # the last: of no site
    for number, site in sites.items():
        graph[number] = site.function
    consumer, producer = (graph[_clipped(edges[:, column], len(graph))] for column in (0, 2))
    own: Ints = edges[(consumer == producer) & (consumer != _UNKNOWN)]
    return own


def function_within_graph(function: Function, sites: Mapping[int, Site]) -> Function:
    """The function; arguments and outputs that lie in another graph, or nowhere, are not known."""

    def is_own(number: int) -> bool:
        return number in sites and sites[number].function == function.graph

    return replace(
        function,
        arguments=tuple(number if is_own(number) else NONE for number in function.arguments),
        outputs=tuple(each if is_own(each.site) else TensorRef(NONE, 0) for each in function.outputs),
    )


def _clipped(numbers: Ints, count: int) -> Ints:
    """The numbers below a count, and -1 for all others."""
    result: Ints = np.where((numbers >= 0) & (numbers < count), numbers, NONE)
    return result
