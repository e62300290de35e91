"""The graph of a function as a GraphDef, for TensorBoard and whatever else reads one.

Where the trace holds the graph whole (`--graphs`), it is that, with the functions that it calls. Else it is made from
what every trace holds: all operations and what flows between them, but only a part of their attributes; such a graph
can be looked at, not imported.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tensordbg.analysis.graphs.kept import KeptGraphs
from tensordbg.analysis.program.call_tree import CallTree, Instance, call_tree
from tensordbg.analysis.program.description import Program, read_program
from tensordbg.analysis.program.function_choice import choose_function
from tensordbg.model import CallKind, Function
from tensordbg.trace.graphs.graph_files import GraphStage
from tensordbg.trace.graphs.graphdef import GraphDefMessage, GraphDefNode, text_attribute
from tensordbg.trace.reader import TraceReader

LINE = "_tensordbg_line"
"""The attribute that names the source line of an operation."""


@dataclass(frozen=True)
class ExportedGraph:
    """A GraphDef message, and whether it is whole."""

    message: bytes
    whole: bool
    """Whether it has all attributes and can be imported; else it can only be looked at."""
    nodes: int


def export_graph(reader: TraceReader, name: str, stage: GraphStage) -> ExportedGraph:
    """A graph of a function as a GraphDef.

    Args:
        reader: The trace.
        name: Of the function, in Python or in the runtime, or its number.
        stage: Which graph.

    Raises:
        UsageError: If there is no such function, or the trace does not hold that graph.
    """
    program = read_program(reader)
    kept = KeptGraphs(reader, program)
    function = choose_function(reader, program, name).function
    if stage is not GraphStage.BUILT or kept.find(function, stage) is not None:
        graph = _whole(program, kept, function, stage)
        return ExportedGraph(graph.encode(), True, len(graph.nodes))
    nodes = tuple(_skeleton(program, function))
    return ExportedGraph(GraphDefMessage(nodes).encode(), False, len(nodes))


def _whole(program: Program, kept: KeptGraphs, function: Function, stage: GraphStage) -> GraphDefMessage:
    """The graph as it is kept, with the line of each operation, and all functions that it calls in its library."""
    graph = kept.get(function, stage)
    names = kept.sites_of(function) if stage is GraphStage.BUILT else kept.runtime_names(function)
    tree = call_tree(program, function, lambda each: names if each is function else kept.runtime_names(each))
    lines = {key: line for key, instance in tree.instances.items() if (line := _line(program, instance))}
    nodes = tuple(
        replace(node, attributes={**node.attributes, LINE: text_attribute(lines[node.name])})
        if node.name in lines
        else node
        for node in graph.nodes
    )
    functions = {name: body for name, body in graph.functions.items() if name != function.runtime_name}
    waiting = [name for site in program.sites_of_graph.get(function.graph, ()) for name in site.called]
    while waiting and stage is GraphStage.BUILT:
        called = program.by_runtime_name.get(waiting.pop())
        built = None if called is None else kept.find(called, GraphStage.BUILT)
        if called is not None and built is not None and called.runtime_name not in functions:
            functions.update(built.functions)
            sites = program.sites_of_graph.get(called.graph, ())
            waiting += [name for site in sites for name in site.called]
    return GraphDefMessage(nodes, functions, graph.versions)


def _skeleton(program: Program, function: Function) -> list[GraphDefNode]:
    """What every trace holds of a function; what it calls stands in it, opened, below the call's name."""
    tree = call_tree(program, function)
    return [_node(program, tree, instance) for instance in tree.instances.values()]


def _node(program: Program, tree: CallTree, instance: Instance) -> GraphDefNode:
    site = instance.site
    inputs = [f"{key}:{slot}" if slot else key for key, slot in tree.inputs(instance)]
    if site.call is not CallKind.NONE or site.argument >= 0:
        # The results of what it calls, or what the caller gives: so the parts hang together.
        inputs += [
            key for key in tree.sources[instance.key] if not any(key == name.partition(":")[0] for name in inputs)
        ]
    attributes = {"_attributes": text_attribute(site.attributes)}
    line = _line(program, instance)
    if line:
        attributes[LINE] = text_attribute(line)
    if site.dtypes:
        attributes["_dtypes"] = text_attribute(", ".join(site.dtypes))
    # TensorBoard shows what lies below a name as a part of it, so a call needs a name of its own in there.
    return GraphDefNode(instance.key, site.op_type, tuple(inputs), site.device, attributes)


def _line(program: Program, instance: Instance) -> str:
    frames = [frame for frame in program.stacks.get(instance.site.stack, ()) if frame.user]
    return f"{frames[-1].file}:{frames[-1].line}" if frames else ""
