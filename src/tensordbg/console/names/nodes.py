"""Nodes of the graph and the steps between them: along the tensors that were recorded, else along the graph itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.names.listing import split_slot
from tensordbg.analysis.program.control_edges import are_recorded, waits_for
from tensordbg.analysis.view.event.neighbours import Neighbour, Neighbourhood, find_consumers, find_inputs, with_rows
from tensordbg.analysis.view.records.rows import EventRows
from tensordbg.analysis.view.table.history import NamedTensors
from tensordbg.console.names.failed_node import FailedProgram, failed_eager_node, stated_inputs, unbuilt_node
from tensordbg.console.names.node import Node
from tensordbg.console.names.runs import Scope
from tensordbg.console.names.tensors import node_of, parse_tensor
from tensordbg.console.pages.tensor_page import choose_event
from tensordbg.model import NONE, Site, TensorRef
from tensordbg.trace.reader import TraceReader

if TYPE_CHECKING:
    from tensordbg.analysis.view.records.columns import EventColumns
    from tensordbg.analysis.view.records.sites import NamedSites


class ConnectedNodes(NamedTensors, Neighbourhood, EventRows, FailedProgram, Protocol):
    """A trace in which one goes along the data, and along graphs that it kept."""

    reader: TraceReader


def find_node(opened: ConnectedNodes, typed: str, scope: Scope, function: str = "") -> tuple[Node, tuple[str, ...]]:
    """The node that is meant by a name, and the functions in which there are others of the same name.

    Of several that which computed something in the scope counts, and of what it computed the first that is not finite,
    in the execution of the event in context, if there is one; before all of these the one that ended the program: one
    that could not be built, and where no run is chosen one that ran eagerly.

    Raises:
        AbsentError: If there is none; it names the nearest.
    """
    name = parse_tensor(typed).node
    failed = None if function else unbuilt_node(opened, name)
    if failed is None and not function and not scope.runs:
        failed = failed_eager_node(opened, name)
    if failed is not None:
        return failed, ()
    sites = node_of(opened, typed)
    if function:
        sites = [each for each in sites if function in (opened.site(each).function, opened.site(each).given_function)]
        sites = sites or node_of(opened, typed)
    site = opened.columns.whole("site")
    events = scope.narrow(np.flatnonzero(np.isin(site, sites)))
    event = int(events[choose_event(opened, events, None, scope.near)]) if len(events) else None
    number = sites[0] if event is None else int(site[event])
    names = opened.site(number)
    own = names.function
    others = dict.fromkeys(opened.site(each).function for each in sites if opened.site(each).function != own)
    return Node(names.site.name, names.site.op_type, number, event), tuple(filter(None, others))


def inputs_of(opened: ConnectedNodes, node: Node, scope: Scope) -> list[Node]:
    """The inputs of a node, in order; where nothing was recorded of the node itself, as it was last in the scope."""
    stated = stated_inputs(opened, node)
    if stated is not None:
        return stated
    if node.event is not None:
        found = with_rows(opened, find_inputs(opened, node.event))
        if found:
            return [_from_neighbour(opened, node, each) for each in found]
    site = opened.program.sites.get(node.site)
    if site is not None and site.function == NONE:
        return _eager_inputs(opened, node.site)
    return [_as_last(opened, ref, scope) for ref in opened.program.inputs_of(node.site)]


def _eager_inputs(opened: ConnectedNodes, site: int) -> list[Node]:
    """What an eager operation was given when it ran last, where it gave nothing: it failed."""
    executions = opened.executions
    rows = np.flatnonzero(executions.site == site)
    if not len(rows):
        return []
    first, last = (int(executions.input_starts[rows[-1] + k]) for k in (0, 1))
    makers = zip(executions.input_row[first:last].tolist(), executions.input_slot[first:last].tolist(), strict=True)
    return [_output_of(opened, row, slot) if row != NONE else Node("an input", "") for row, slot in makers]


def _output_of(opened: ConnectedNodes, row: int, slot: int) -> Node:
    """What an execution gave: an eager operation by itself, a function by one of the operations in it."""
    executions = opened.executions
    ref = TensorRef(int(executions.site[row]), slot)
    function = opened.program.functions.get(int(executions.function[row]))
    if function is not None and slot < len(function.outputs):
        ref = function.outputs[slot]
    columns, number = opened.columns, int(executions.number[row])
    found = np.flatnonzero(
        (columns.whole("execution") == number)
        & (columns.whole("site") == ref.site)
        & (columns.whole("slot") == ref.slot)
    )
    event = int(found[-1]) if len(found) else None
    site = opened.site(ref.site).site
    tensor = f"{site.name}:{ref.slot}"
    return Node(site.name, site.op_type, ref.site, event, tensor, None if event is None else opened.row(event))


def consumers_of(opened: ConnectedNodes, node: Node) -> list[Node]:
    """The nodes that take the outputs of a node."""
    if node.event is not None:
        found: list[Neighbour] = []
        for event in outputs_of(opened, node.event):
            found += find_consumers(opened, event)
        steps = [_from_consumer(opened, node, each) for each in with_rows(opened, found)]
        return list({(each.name, each.event): each for each in steps}.values())
    edges = opened.program.edges
    sites = dict.fromkeys(edges[edges[:, 2] == node.site, 0].tolist())
    return [_of_site(opened.program.sites[each]) for each in sites if each in opened.program.sites]


def outputs_of(opened: EventColumns, event: int) -> list[int]:
    """The events of all outputs of the operation that an event is one of, at the same moment."""
    columns = opened.columns
    place = {
        name: int(columns.whole(name)[event]) for name in ("execution", "site", "path", "frame", "iteration", "run")
    }
    first, last = max(event - _NEAR, 0), event + _NEAR
    same: Ints = np.arange(first, min(last, opened.event_count))
    for name, value in place.items():
        same = same[columns.whole(name)[same] == value]
    return [int(each) for each in same]


_NEAR = 10_000
"""The outputs of one operation lie so near to each other among the events."""


def control_inputs(opened: ConnectedNodes, node: Node) -> tuple[str, ...] | None:
    """The nodes that a node only waits for; None where that is not known, as the graph was not kept."""
    found = _waiting(opened, node.site)
    return None if found is None else tuple(found.get(node.name, ()))


def control_consumers(opened: ConnectedNodes, node: Node) -> tuple[str, ...] | None:
    """The nodes that only wait for a node; None where that is not known."""
    found = _waiting(opened, node.site)
    return None if found is None else tuple(name for name, waited in found.items() if node.name in waited)


def control_nodes(opened: NamedSites, node: Node, names: Iterable[str]) -> list[Node]:
    """Nodes of the same graph by name."""
    function = opened.program.sites[node.site].function
    known = {each.name: each for each in opened.program.sites_of_graph.get(function, ())}
    return [
        Node(name, known[name].op_type if name in known else "", known[name].site if name in known else NONE,
             control=True)
        for name in names
    ]  # fmt: skip


def _waiting(opened: ConnectedNodes, site: int) -> dict[str, list[str]] | None:
    """By the name of a node of the same graph those that it waits for."""
    own = opened.program.sites.get(site)
    graph = () if own is None or own.function == NONE else opened.program.sites_of_graph[own.function]
    if are_recorded(graph):
        sites = opened.program.sites
        return {each.name: [sites[number].name for number in waits_for(opened.program, each)] for each in graph}
    from tensordbg.analysis.graphs.kept import KeptGraphs
    from tensordbg.trace.graphs.graph_files import GraphStage

    known = opened.program.sites.get(site)
    function = None if known is None else opened.program.functions.get(known.function)
    built = None if function is None else KeptGraphs(opened.reader, opened.program).find(function, GraphStage.BUILT)
    if built is None:
        return None
    return {node.name: [name.removeprefix("^") for name in node.inputs if name.startswith("^")] for node in built.nodes}


def _from_neighbour(opened: ConnectedNodes, node: Node, step: Neighbour) -> Node:
    name, _ = split_slot(step.tensor)
    if step.event is None:
        return Node(name, step.op_type, _site_named(opened, node.site, name), tensor=step.tensor)
    return Node(name, step.op_type, _site_of(opened, step.event), step.event, step.tensor, step.row)


def _from_consumer(opened: ConnectedNodes, node: Node, step: Neighbour) -> Node:
    if step.event is None:
        return Node(step.tensor, step.op_type, _site_named(opened, node.site, step.tensor))
    return Node(step.tensor, step.op_type, _site_of(opened, step.event), step.event, row=step.row)


def _site_of(opened: EventColumns, event: int) -> int:
    return int(opened.columns.whole("site")[event])


def _site_named(opened: NamedSites, near: int, name: str) -> int:
    """The site of a name in the graph of another."""
    known = opened.program.sites.get(near)
    graph = opened.program.sites_of_graph.get(known.function, ()) if known is not None else ()
    return next((each.site for each in graph if each.name == name), NONE)


def _as_last(opened: ConnectedNodes, ref: TensorRef, scope: Scope) -> Node:
    """The node of a tensor, with what was recorded of that last in the scope."""
    site = opened.site(ref.site).site
    columns = opened.columns
    found = np.flatnonzero((columns.whole("site") == ref.site) & (columns.whole("slot") == ref.slot))
    events = scope.narrow(found)
    event = int(events[-1]) if len(events) else None
    row = None if event is None else opened.row(event)
    return Node(site.name, site.op_type, ref.site, event, f"{site.name}:{ref.slot}", row)


def _of_site(site: Site) -> Node:
    return Node(site.name, site.op_type, site.site)
