"""The graph of a function as TensorFlow runs it, beside what Python built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.graphs.changes import Comparison, Fate, GraphChange, key_of
from tensordbg.analysis.graphs.kept import KeptGraphs
from tensordbg.analysis.graphs.placing import short_device
from tensordbg.analysis.program.call_tree import call_tree
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.function_choice import choose_function
from tensordbg.analysis.program.locations import Locations
from tensordbg.model import Function
from tensordbg.trace.graphs.graph_files import GraphStage
from tensordbg.trace.graphs.graphdef import GraphDefNode
from tensordbg.trace.reader import TraceReader

_PLUMBING = {
    "Enter": "loops and branches",
    "Exit": "loops and branches",
    "LoopCond": "loops and branches",
    "Merge": "loops and branches",
    "NextIteration": "loops and branches",
    "Switch": "loops and branches",
    "_SwitchN": "loops and branches",
    "_Arg": "arguments",
    "_Retval": "results",
    "_DeviceRetval": "results",
    "_DeviceArg": "arguments",
    "_HostRecv": "transfers between devices",
    "_HostSend": "transfers between devices",
    "_Recv": "transfers between devices",
    "_Send": "transfers between devices",
    "Identity": "places where calls were inlined",
    "NoOp": "places where calls were inlined",
}
"""What operations are for that nobody built, by their type."""


@dataclass(frozen=True)
class ExecutedNode:
    """One operation that runs."""

    name: str
    op_type: str
    inputs: tuple[str, ...]
    """The tensors that it takes, `name` or `name:1`."""
    device: str
    """In short, `CPU:0`."""
    made_from: tuple[str, ...]
    """The operations that Python built and that it stands for; none where TensorFlow put it in."""
    added_for: str
    """What TensorFlow put it in for; empty where it stands for something that was built."""
    source: SourceLine | None
    """The line that built the last of those."""


@dataclass(frozen=True)
class ExecutedGraph:
    """A function as it runs."""

    function: Function
    stage: GraphStage
    nodes: tuple[ExecutedNode, ...]
    built: int
    """How many operations Python built, in all that it calls."""
    changes: tuple[GraphChange, ...]
    added: Mapping[str, int]
    """How many operations TensorFlow put in, by what for."""
    unfused: int
    """How many fused operations there are without recording that the probes kept apart."""

    def of(self, fate: Fate) -> tuple[GraphChange, ...]:
        """The changes of one kind."""
        return tuple(change for change in self.changes if change.fate is fate)


def run_graph(reader: TraceReader, name: str, stage: GraphStage = GraphStage.RUN) -> ExecutedGraph:
    """The graph of a function as TensorFlow runs it.

    Args:
        reader: The trace.
        name: Of the function, in Python or in the runtime, or its number.
        stage: Without any probes, or as it was recorded.

    Raises:
        UsageError: If there is no such function, or the trace does not hold that graph.
    """
    program = read_program(reader)
    kept = KeptGraphs(reader, program)
    function = choose_function(reader, program, name).function
    message = kept.get(function, stage)
    tree = call_tree(program, function, kept.runtime_names)
    comparison = Comparison.of(tree, message.nodes)
    plain = kept.find(function, GraphStage.RUN)
    recorded = kept.find(function, GraphStage.RECORDED)
    unfused = 0
    if plain is not None and recorded is not None:
        fused = {change.operations for change in Comparison.of(tree, plain.nodes).fused}
        unfused = len(fused - {change.operations for change in Comparison.of(tree, recorded.nodes).fused})
    locations = Locations(program)
    nodes = tuple(_node(node, comparison, locations) for node in in_data_order(message.nodes))
    return ExecutedGraph(
        function=function,
        stage=stage,
        nodes=nodes,
        built=len(tree.instances),
        changes=comparison.changes,
        added=dict(Counter(node.added_for for node in nodes if node.added_for).most_common()),
        unfused=unfused,
    )


def in_data_order(nodes: Sequence[GraphDefNode]) -> list[GraphDefNode]:
    """The operations so that each stands behind those that it takes, else in the order given.

    What a loop's next iteration takes from the last one does not count.
    """
    position = {node.name: number for number, node in enumerate(nodes)}
    waits_for: list[set[int]] = []
    taken_by: list[list[int]] = [[] for _ in nodes]
    for number, node in enumerate(nodes):
        sources = {position.get(name.lstrip("^").partition(":")[0], number) for name in node.inputs} - {number}
        sources = {source for source in sources if nodes[source].op_type != "NextIteration"}
        waits_for.append(sources)
        for source in sources:
            taken_by[source].append(number)
    ready = [number for number, sources in enumerate(waits_for) if not sources]
    ordered: list[int] = []
    while ready:
        number = heappop(ready)
        ordered.append(number)
        for consumer in taken_by[number]:
            waits_for[consumer].discard(number)
            if not waits_for[consumer]:
                heappush(ready, consumer)
    rest = sorted(set(range(len(nodes))) - set(ordered))
    return [nodes[number] for number in (*ordered, *rest)]


def _node(node: GraphDefNode, comparison: Comparison, locations: Locations) -> ExecutedNode:
    made_from = comparison.made_from.get(key_of(node), ())
    source = None
    if made_from:
        source = locations.own(locations.stack(comparison.tree.instances[made_from[-1]].site.stack))
    return ExecutedNode(
        name=node.name,
        op_type=node.op_type,
        inputs=tuple(name for name in node.inputs if not name.startswith("^")),
        device=short_device(node.device),
        made_from=made_from,
        added_for="" if made_from else _added_for(node),
        source=source,
    )


def _added_for(node: GraphDefNode) -> str:
    if "LayoutOptimizer" in node.name:
        return "another order of dimensions"
    if "AutoMixedPrecision" in node.name:
        return "half precision"
    if "Optimizer/" in node.name or "ConstantFolding" in node.name:
        return "simplified arithmetic"
    return _PLUMBING.get(node.op_type, "the runtime")
