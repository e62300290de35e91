"""Part of a function's graph around one operation, with the health of its neighbours in the chosen execution.

The graph is that of the outermost function, with the calls opened that the chosen operation stands in, and those that
are asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from tensordbg.analysis.columns.reading import TraceSource
from tensordbg.analysis.graphs.function_graph import find_operation
from tensordbg.analysis.program.call_tree import CallTree, call_tree
from tensordbg.analysis.program.function_choice import choose_function
from tensordbg.analysis.view.event.local_flow import LocalFlows
from tensordbg.analysis.view.graphs.node_health import NodeEvents, RecordedNodes, events_at_nodes, key_of_event
from tensordbg.analysis.view.graphs.wires import Wire, wires_between
from tensordbg.analysis.view.requests import Centre
from tensordbg.errors import AbsentError
from tensordbg.model import NONE, Function

MOST_NODES = 300
"""The neighbourhood ends before it has more; of an operation with very many consumers some are left out."""


@dataclass(frozen=True)
class GraphPart:
    """Some operations of a function and what flows between them."""

    function: Function
    tree: CallTree
    centre: str
    keys: tuple[str, ...]
    """Of the operations that are shown, in the order of the graph."""
    wires: tuple[Wire, ...]
    """Between those that are shown."""
    hidden_inputs: Mapping[str, int]
    """By key, how many of the neighbours are not shown."""
    hidden_consumers: Mapping[str, int]
    events: Mapping[str, NodeEvents]
    """By key, what was recorded."""


class GraphSource(RecordedNodes, TraceSource, Protocol):
    """A trace whose functions are shown as graphs."""


def graph_part(opened: GraphSource, centre: Centre) -> GraphPart | None:
    """The part of a graph that is asked for; None where the event is one of eager code, which has no graph.

    Raises:
        AbsentError: If there is no such event.
        UsageError: If there is no such function, or no such operation in it.
    """
    if centre.event is None:
        function: Function | None = choose_function(opened, opened.program, centre.function).function
        wanted = centre.operation
    else:
        opened.check_event(centre.event)
        function, wanted = function_of_event(opened, centre.event), key_of_event(opened, centre.event)
    if function is None:
        return None
    tree = call_tree(opened.program, function, opens=_opening(wanted, centre.opened))
    key = _centre(tree, wanted)
    wires = wires_between(tree)
    kept = _near(tree, key, wires, centre.hops)
    return GraphPart(
        function=function,
        tree=tree,
        centre=key,
        keys=tuple(each for each in tree.instances if each in kept),
        wires=tuple(wire for wire in wires if wire.source in kept and wire.target in kept),
        hidden_inputs=Counter(wire.target for wire in wires if wire.source not in kept and wire.target in kept),
        hidden_consumers=Counter(wire.source for wire in wires if wire.target not in kept and wire.source in kept),
        events=events_at_nodes(opened, [tree.instances[each] for each in kept], centre.event),
    )


def function_of_event(opened: LocalFlows, event: int) -> Function | None:
    """The outermost function that an event was computed in."""
    local_flow = opened.local_flow(event)
    values = local_flow.values
    place = int(values.invocations.place[values.invocation[local_flow.local(event)]])
    return None if place == NONE else values.places.all[values.places.all[place].root].function


def _opening(wanted: str, chosen: Collection[str]) -> Callable[[str], bool]:
    """Which calls are opened: the chosen ones, and those around them and around the wanted operation."""
    inside = [f"{each}/" for each in chosen]
    return lambda key: any(each.startswith(f"{key}/") for each in (wanted, *inside))


def _centre(tree: CallTree, wanted: str) -> str:
    if wanted:
        return find_operation(tree.instances, wanted)
    first = next(iter((*tree.results, *tree.arguments, *tree.instances)), "")
    if not first:
        raise AbsentError(f"the function {tree.function.name!r} has no operations; choose another")
    return first


def _callers(tree: CallTree, key: str) -> Iterator[str]:
    """The calls that an operation stands in, the innermost first."""
    caller = tree.instances[key].caller
    while caller:
        yield caller
        caller = tree.instances[caller].caller


def _near(tree: CallTree, key: str, wires: Iterable[Wire], hops: int) -> dict[str, None]:
    """The operations at most so many steps away, nearest first, with the calls that they stand in."""
    sources: dict[str, list[str]] = {}
    consumers: dict[str, list[str]] = {}
    for wire in wires:
        sources.setdefault(wire.target, []).append(wire.source)
        consumers.setdefault(wire.source, []).append(wire.target)
    near = dict.fromkeys([key, *_callers(tree, key)])
    edge = [key]
    for _ in range(hops):
        # What an operation was computed from comes first: it matters more, and there is less of it.
        found = [each for side in (sources, consumers) for one in edge for each in side.get(one, ())]
        edge = []
        for each in dict.fromkeys(found):
            if each not in near and len(near) < MOST_NODES:
                near.update(dict.fromkeys([each, *_callers(tree, each)]))
                edge.append(each)
    return near
