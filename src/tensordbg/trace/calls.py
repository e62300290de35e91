"""Which graphs run when a function is called: its own, and those of all functions that it calls, however deep."""

from __future__ import annotations

from collections.abc import Mapping

from tensordbg.model import NONE
from tensordbg.trace.catalog import Catalog


class CallGraph:
    """Answers for one catalog; what was found is kept."""

    def __init__(self, catalog: Catalog) -> None:
        """Prepares; the graphs are followed when they are asked for."""
        self._sites = catalog.sites
        self._functions = catalog.functions
        self._reached: dict[int, frozenset[int]] = {}
        self._called = _called_by_graph(catalog)

    def graph_of(self, site: int) -> int:
        """The function whose graph holds a site, `NONE` for eager code and for an unknown site."""
        known = self._sites.get(site)
        return NONE if known is None else known.function

    def reach(self, function: int) -> frozenset[int]:
        """Numbers of the graphs that run when a function is called."""
        if function not in self._reached:
            self._reached[function] = self._follow(function)
        return self._reached[function]

    def _follow(self, function: int) -> frozenset[int]:
        known = self._functions.get(function)
        waiting = [function if known is None else known.graph]
        reached: set[int] = set()
        while waiting:
            graph = waiting.pop()
            if graph not in reached:
                reached.add(graph)
                waiting.extend(self._called.get(graph, ()))
        return frozenset(reached)


def _called_by_graph(catalog: Catalog) -> Mapping[int, set[int]]:
    """For each graph those of the functions that its operations name."""
    graphs = {function.runtime_name: function.graph for function in catalog.functions.values()}
    called: dict[int, set[int]] = {}
    for site in catalog.sites.values():
        for name in site.called:
            if name in graphs:
                called.setdefault(site.function, set()).add(graphs[name])
    return called
