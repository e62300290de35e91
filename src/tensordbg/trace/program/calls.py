"""Which graphs run when a function is called: its own, and those of all functions that it calls, however deep.

The functions of an input pipeline that it makes run beside it, each time for another element.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tensordbg.model import NONE
from tensordbg.trace.program.catalog import Catalog

PIPELINE_MAKER = "Dataset"
"""What the types of operations have in their names that make an input pipeline."""


class CallGraph:
    """Answers for one catalog; what was found is kept."""

    def __init__(self, catalog: Catalog) -> None:
        """Prepares; the graphs are followed when they are asked for."""
        self._sites = catalog.sites
        self._functions = catalog.functions
        self._direct: dict[int, frozenset[int]] = {}
        self._piped: dict[int, frozenset[int]] = {}
        self._called, self._passed = _named_by_graph(catalog)

    def graph_of(self, site: int) -> int:
        """The function whose graph holds a site, `NONE` for eager code and for an unknown site."""
        known = self._sites.get(site)
        return NONE if known is None else known.function

    def direct(self, function: int) -> frozenset[int]:
        """Numbers of the graphs that run within a call of a function."""
        if function not in self._direct:
            known = self._functions.get(function)
            self._direct[function] = reachable([function if known is None else known.graph], [self._called])
        return self._direct[function]

    def piped(self, function: int) -> frozenset[int]:
        """Numbers of the graphs that run in the pipelines which a function makes."""
        if function not in self._piped:
            given = [graph for each in self.direct(function) for graph in self._passed.get(each, ())]
            self._piped[function] = reachable(given, [self._called, self._passed])
        return self._piped[function]


def reachable(graphs: Iterable[int], ways: Sequence[Mapping[int, Iterable[int]]]) -> frozenset[int]:
    """Follows ways from graph to graph: returns those from which it starts, and all to which they lead.

    Args:
        graphs: Where to start.
        ways: For each way from each graph those that it leads to, such as from a graph to those that it calls, or back.
    """
    waiting = list(graphs)
    reached: set[int] = set()
    while waiting:
        graph = waiting.pop()
        if graph not in reached:
            reached.add(graph)
            waiting.extend(other for way in ways for other in way.get(graph, ()))
    return frozenset(reached)


def _named_by_graph(catalog: Catalog) -> tuple[Mapping[int, set[int]], Mapping[int, set[int]]]:
    """For each graph the functions that its operations call, and those that they give to a pipeline."""
    graphs = {function.runtime_name: function.graph for function in catalog.functions.values()}
    called: dict[int, set[int]] = {}
    given: dict[int, set[int]] = {}
    for site in catalog.sites.values():
        named = given if PIPELINE_MAKER in site.op_type else called
        for name in site.called:
            if name in graphs:
                named.setdefault(site.function, set()).add(graphs[name])
    return called, given
