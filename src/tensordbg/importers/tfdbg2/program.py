"""The program of a log: numbers for its operations and graphs, and the ways in which one graph leads to another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from tensordbg.importers.tfdbg2.calls import UNKNOWN, Call, find_calls
from tensordbg.importers.tfdbg2.graphs import Graph, Graphs, TensorName
from tensordbg.model import NONE, CallKind, TensorRef

_DEEPEST = 64
_MOST_CHAINS = 4096


@dataclass(frozen=True)
class Chain:
    """One way in which a graph comes to run: the calls that lead to it from an outermost graph."""

    path: str
    loops: tuple[str, ...]
    """Identifiers of the bodies and conditions among the graphs on the way, outermost first, itself included."""
    frame: int
    """Tells the runs of the innermost loop from those of others, 0 outside of loops."""


@dataclass
class Program:
    """Numbers of the sites and functions of a log."""

    graphs: Graphs
    calls: Mapping[str, list[Call]]
    sites: dict[str, dict[str, int]] = field(default_factory=dict)
    """Of each graph, by name of the operation."""
    functions: dict[str, int] = field(default_factory=dict)
    """By identifier of the graph."""
    next_site: int = 0

    @classmethod
    def of(cls, graphs: Graphs) -> Program:
        """Numbers everything in the order in which it was created."""
        program = cls(graphs, find_calls(graphs))
        for graph in graphs.all.values():
            if graph.operations:
                program.functions[graph.identifier] = len(program.functions)
                numbers = program.sites[graph.identifier] = {}
                for name in program._names_in_order(graph):
                    numbers[name] = program.next_site
                    program.next_site += 1
        return program

    def call_of(self, graph: Graph, name: str) -> Call | None:
        """The call that an operation is."""
        return next((call for call in self.calls.get(graph.identifier, ()) if call.name == name), None)

    def chains(self, graph: str, root: str) -> list[Chain]:
        """The ways from an outermost graph to another one, in the order of the calls."""
        return list(islice(self._chains(root, graph, Chain("", (), 0), (root,)), _MOST_CHAINS))

    def runtime_name(self, graph: Graph) -> str:
        """The unique name by which a call names a function."""
        return f"{graph.name or 'graph'}_{self.functions.get(graph.identifier, 0)}"

    def reference(self, graph: Graph, name: TensorName) -> TensorRef:
        """A tensor of a graph as a trace names it."""
        return TensorRef(self.sites.get(graph.identifier, {}).get(name[0], NONE), name[1])

    def _names_in_order(self, graph: Graph) -> list[str]:
        orders: list[tuple[int, int, str]] = [(each.order, 1, each.name) for each in graph.operations.values()]
        for call in self.calls.get(graph.identifier, ()):
            if call.name not in graph.operations:
                orders.append((call.order, 0, call.name))
            if UNKNOWN in call.inputs:
                orders.append((call.order, -1, unrecorded(call)))
        return [name for _, _, name in sorted(orders)]

    def _chains(self, at: str, wanted: str, chain: Chain, seen: tuple[str, ...]) -> Iterator[Chain]:
        if at == wanted:
            yield chain
            return
        for call in self.calls.get(at, ()):
            for part, called in enumerate(call.called):
                if called not in seen and len(seen) < _DEEPEST:
                    looped = call.kind is CallKind.WHILE
                    longer = Chain(
                        path=f"{chain.path}/{call.step(part)}".lstrip("/"),
                        loops=(*chain.loops, called) if looped else chain.loops,
                        frame=self.sites[at][call.name] + 1 if looped else chain.frame,
                    )
                    yield from self._chains(called, wanted, longer, (*seen, called))


def unrecorded(call: Call) -> str:
    """Name of the site that stands for what a call was given."""
    return f"{call.name}/given"
