"""The neighbourhood of an operation, for the page."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tensordbg.analysis.program.function_titles import function_title
from tensordbg.analysis.view.graphs.around_execution import EagerPart, ExecutionNode
from tensordbg.analysis.view.graphs.around_operation import GraphPart
from tensordbg.analysis.view.graphs.node_titles import node_title
from tensordbg.analysis.view.graphs.secondary import secondary_of
from tensordbg.analysis.view.records.event_ranges import RecordedExecutions
from tensordbg.analysis.view.records.sites import NamedSites
from tensordbg.analysis.view.timeline.lanes import NamedTimings, execution_name
from tensordbg.model import NONE


@dataclass(frozen=True)
class NodeView:
    """One operation at one place of a function's graph."""

    node: str
    """Call path and name, which is unique."""
    name: str
    title: str
    """What it is called in a drawing: an argument by its name in the program's text, where that is known."""
    op_type: str
    scope: str
    """Name scope, `model/dense`; empty at the top."""
    layer: str
    """Path of its Keras layer, empty outside."""
    health: str
    """`bad` (of the chosen execution), `bad_elsewhere` (in another one), `fine`, `unmeasured` or `unrecorded`."""
    event: int | None
    """Of its first output, in the chosen execution and iteration."""
    origin: bool
    argument: bool
    calls: tuple[str, ...]
    """The functions that it runs; such a node can be opened."""
    opened: bool
    inside: str
    """The node of the call that it stands in, in a whole graph the box; empty at the top."""
    part: str
    """Which part of that call: `cond`, `body`, `then`..."""
    hidden_inputs: int
    """How many of its inputs are not in this view."""
    hidden_consumers: int
    dtypes: tuple[str, ...]
    shapes: tuple[tuple[int, ...] | None, ...]
    secondary: str
    """`backward` or `constant` where a whole graph shows it only when asked for; else empty."""


@dataclass(frozen=True)
class EdgeView:
    """A tensor from one operation to another."""

    source: str
    slot: int
    target: str
    input: int
    bad: bool


@dataclass(frozen=True)
class GraphView:
    """Part of a function's graph around a chosen operation."""

    function: str
    centre: str
    operations: int
    """Of the whole function."""
    nodes: tuple[NodeView, ...]
    edges: tuple[EdgeView, ...]


def graph_view(opened: NamedSites, part: GraphPart, origins: Collection[int]) -> GraphView:
    """Part of a function's graph; `origins` are the events that the findings name as such."""
    return GraphView(
        function=function_title(part.function.name),
        centre=part.centre,
        operations=len(opened.program.sites_of_graph.get(part.function.graph, ())),
        nodes=tuple(_node(opened, part, key, origins) for key in part.keys),
        edges=tuple(
            EdgeView(wire.source, wire.slot, wire.target, wire.position, _is_bad(part, wire.source, wire.slot))
            for wire in part.wires
        ),
    )


def _node(opened: NamedSites, part: GraphPart, key: str, origins: Collection[int]) -> NodeView:
    instance, recorded = part.tree.instances[key], part.events[key]
    site, rows = instance.site, recorded.rows
    called = [function_title(function.name) for function in opened.program.called_by(site) if function is not None]
    first = next(iter(rows.values()), None)
    return NodeView(
        node=key,
        name=site.name,
        title=node_title(part.tree, instance),
        op_type=site.op_type,
        scope=site.name.rpartition("/")[0],
        layer=opened.site(site.site).layer,
        health=recorded.health,
        event=None if first is None else first.event,
        origin=any(row.event in origins for row in rows.values()),
        argument=site.argument != NONE,
        calls=tuple(dict.fromkeys(called)),
        opened=key in part.tree.opened,
        inside=instance.caller,
        part=instance.part,
        hidden_inputs=part.hidden_inputs.get(key, 0),
        hidden_consumers=part.hidden_consumers.get(key, 0),
        dtypes=site.dtypes,
        shapes=tuple(rows[slot].shape if slot in rows else None for slot in range(len(site.dtypes))),
        secondary=secondary_of(site).value,
    )


def _is_bad(part: GraphPart, key: str, slot: int) -> bool:
    row = part.events[key].rows.get(slot)
    return row is not None and row.health is not None and row.health.non_finite > 0


def eager_view(opened: NamedTimings, part: EagerPart, origins: Collection[int]) -> GraphView:
    """Executions around an eager operation, as a graph."""
    names = {node.row: _execution(opened, node.row) for node in part.nodes}
    return GraphView(
        function="",
        centre=names[part.centre],
        operations=len(opened.executions),
        nodes=tuple(_execution_node(opened, node, origins) for node in part.nodes),
        edges=tuple(
            EdgeView(names[wire.maker], wire.slot, names[wire.taker], wire.position, wire.bad) for wire in part.wires
        ),
    )


def _execution(opened: RecordedExecutions, row: int) -> str:
    return f"execution {opened.executions.number[row]}"


def _execution_node(opened: NamedTimings, node: ExecutionNode, origins: Collection[int]) -> NodeView:
    eager = bool(opened.timings.eager[node.row])
    name = execution_name(opened, node.row)
    measured = any(row.health is not None for row in node.events)
    fine = "fine" if measured else "unmeasured" if node.events else "unrecorded"
    own = node.events if eager else ()
    return NodeView(
        node=_execution(opened, node.row),
        name=name,
        title=name,
        op_type=name if eager else "function",
        scope="",
        layer="",
        health="bad" if node.bad else fine,
        event=node.events[0].event if node.events else None,
        origin=any(row.event in origins for row in node.events),
        argument=False,
        calls=() if eager else (name,),
        opened=False,
        inside="",
        part="",
        hidden_inputs=node.hidden_inputs,
        hidden_consumers=node.hidden_consumers,
        dtypes=tuple(row.dtype for row in own),
        shapes=tuple(row.shape for row in own),
        secondary="",
    )
