"""A function's graph as a whole, for the page: boxes of which some are open, and what flows between them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tensordbg.analysis.program.function_titles import function_title
from tensordbg.analysis.view.graphs.bundles import Bundle
from tensordbg.analysis.view.graphs.node_titles import node_title
from tensordbg.analysis.view.graphs.secondary import secondary_of, secondary_together
from tensordbg.analysis.view.graphs.whole import SeenBox, WholeGraph
from tensordbg.analysis.view.records.source_margins import CountedSites
from tensordbg.model import NONE, Site
from tensordbg.wire.view.graph import NodeView

_MOST_NAMES = 6


@dataclass(frozen=True)
class BoxView:
    """A box around operations and other boxes."""

    box: str
    """Unique in the graph."""
    inside: str
    """The box that it lies in, empty at the top."""
    kind: str
    """`call`, `part` (of a loop or a branch), `layer`, `scope`, `arguments`, `line` or `some`."""
    label: str
    op_type: str
    """Of a call, else empty."""
    opened: bool
    operations: int
    """How many are in it, in boxes inside too."""
    health: str
    """The worst inside: `bad` (of the chosen execution), `bad_elsewhere`, `fine` or `unrecorded`."""
    bad: int
    """How many of the operations are not finite."""
    origin: bool
    """Whether the trouble began inside."""
    secondary: str
    """`backward` or `constant`, where nothing else is in it; else empty."""


@dataclass(frozen=True)
class BundleView:
    """All tensors from one thing to another that lie in one box."""

    box: str
    """The box that both lie in, empty at the top."""
    source: str
    """A box or a node; empty where the tensors come into the box from outside."""
    target: str
    """The same; empty where they leave the box."""
    tensors: int
    """How many."""
    names: tuple[str, ...]
    """Of the first of them, `name:slot`."""
    dtype: str
    """Where it is one tensor alone, else empty."""
    shape: tuple[int, ...] | None
    """The same."""
    bad: bool


@dataclass(frozen=True)
class RootFunction:
    """A function that the program called."""

    function: int
    """Its number."""
    name: str
    signature: str


@dataclass(frozen=True)
class WholeView:
    """A function, as far as its boxes are open."""

    function: int | None
    """Its number; null of a step of eager code."""
    name: str
    functions: tuple[RootFunction, ...]
    """Those that the program called, what matters most first."""
    centre: str
    """Node of the chosen operation, empty for none."""
    operations: int
    """Of the function with all that it calls."""
    bad: int
    """How many of them are not finite."""
    boxes: tuple[BoxView, ...]
    """Each before those in it."""
    nodes: tuple[NodeView, ...]
    bundles: tuple[BundleView, ...]
    unopened: int
    """How many boxes stay closed because too much is open already."""


def whole_view(opened: CountedSites, graph: WholeGraph, origins: Collection[int]) -> WholeView:
    """A function's graph; `origins` are the events that the findings name as such."""
    function = graph.whole.function
    return WholeView(
        function=None if function.function == NONE else function.function,
        name=function_title(function.name),
        functions=tuple(
            RootFunction(each.function, function_title(each.name), each.signature) for each in graph.functions
        ),
        centre=graph.centre,
        operations=len(graph.whole.boxes.tree.instances),
        bad=graph.inside.bad,
        boxes=tuple(_box(graph, seen) for seen in graph.boxes),
        nodes=tuple(_node(opened, graph, key, origins) for key in graph.operations),
        bundles=tuple(_bundle(graph, bundle) for bundle in graph.bundles),
        unopened=graph.unopened,
    )


def _box(graph: WholeGraph, seen: SeenBox) -> BoxView:
    box, call = seen.box, graph.whole.boxes.tree.instances.get(seen.box.name.box)
    return BoxView(
        box=box.name.box,
        inside=box.parent,
        kind=box.name.kind.value,
        label=box.name.label,
        op_type=call.site.op_type if call is not None else "",
        opened=seen.opened,
        operations=box.operations,
        health=seen.inside.health,
        bad=seen.inside.bad,
        origin=seen.inside.origin,
        secondary=secondary_together(_sites(graph, box.name.box)).value,
    )


def _sites(graph: WholeGraph, box: str) -> Iterator[Site]:
    tree = graph.whole.boxes.tree
    return (tree.instances[key].site for key in graph.whole.boxes.operations_in(box))


def _node(opened: CountedSites, graph: WholeGraph, key: str, origins: Collection[int]) -> NodeView:
    boxes, recorded = graph.whole.boxes, graph.events[key]
    instance, rows = boxes.tree.instances[key], recorded.rows
    site = instance.site
    first = next(iter(rows.values()), None)
    called = [function_title(each.name) for each in opened.program.called_by(site) if each is not None]
    telling = int(opened.site_counts.telling[site.site])
    told = telling == NONE or graph.centre or graph.whole.function.function == NONE
    elsewhere = None if told else telling
    return NodeView(
        node=key,
        name=site.name,
        title=node_title(boxes.tree, instance),
        op_type=site.op_type,
        scope=site.name.rpartition("/")[0],
        layer=opened.site(site.site).layer,
        health="bad" if key in graph.bad else recorded.health,
        event=elsewhere if first is None else first.event,
        origin=any(row.event in origins for row in rows.values()),
        argument=site.argument != NONE,
        calls=tuple(dict.fromkeys(called)),
        opened=False,
        inside=boxes.parent[key],
        part="",
        hidden_inputs=0,
        hidden_consumers=0,
        dtypes=site.dtypes,
        shapes=tuple(rows[slot].shape if slot in rows else None for slot in range(len(site.dtypes))),
        secondary=secondary_of(site).value,
    )


def _bundle(graph: WholeGraph, bundle: Bundle) -> BundleView:
    key, slot = bundle.tensors[0]
    alone = len(bundle.tensors) == 1
    dtypes = graph.whole.boxes.tree.instances[key].site.dtypes
    row = graph.events[key].rows.get(slot) if alone else None
    return BundleView(
        box=bundle.box,
        source=bundle.source,
        target=bundle.target,
        tensors=len(bundle.tensors),
        names=tuple(f"{name}:{number}" for name, number in bundle.tensors[:_MOST_NAMES]),
        dtype=dtypes[slot] if alone and slot < len(dtypes) else "",
        shape=row.shape if row is not None else None,
        bad=bundle.bad,
    )
