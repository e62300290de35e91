"""The compiled graphs into whose code lines are put that call a probe, and these lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from tensordbg.backends.torch.compiled.describing import Describer, Graph
from tensordbg.backends.torch.compiled.internals import PROBE, Stored


class ProbedGraphs:
    """The graphs of one process."""

    def __init__(self, describer: Describer) -> None:
        """Takes what numbers their operations."""
        self._describer = describer
        self._graphs: WeakKeyDictionary[Any, Graph] = WeakKeyDictionary()
        self._of_site: dict[int, Graph] = {}

    def lines(self, lowering: Any, stored: Sequence[Stored]) -> list[str]:
        """The lines to be written where a kernel of a graph that is being lowered has stored something."""
        graph = self._graphs.get(lowering)
        if graph is None:
            graph = self._graphs[lowering] = self._describer.describe(lowering)
        return [line for each in stored for line in self._line(graph, each)]

    def of_lowering(self, lowering: Any) -> Graph | None:
        """The graph that was lowered so, if lines were asked for."""
        return self._graphs.get(lowering)

    def of_site(self, site: int) -> Graph | None:
        """The graph with the operation of a probe."""
        return self._of_site.get(site)

    def _line(self, graph: Graph, stored: Stored) -> list[str]:
        ref = graph.references.get(stored.node)
        if ref is None:
            return []
        graph.buffers[stored.node, stored.slot] = stored.name
        self._of_site[ref.site] = graph
        return [f"{PROBE}({ref.site}, {stored.slot}, {stored.name})"]
