"""The graph of a function as Python built it, from what every trace holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from tensordbg.analysis.columns.reading import shape_of
from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.graphs.kept import KeptGraphs
from tensordbg.analysis.names.listing import recorded_tensors
from tensordbg.analysis.names.naming import find_named
from tensordbg.analysis.program.call_tree import CallTree, Instance, call_tree
from tensordbg.analysis.program.control_edges import runs_anyway
from tensordbg.analysis.program.description import Program, read_program
from tensordbg.analysis.program.function_choice import ChosenFunction, choose_function
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.query import sql
from tensordbg.errors import UsageError
from tensordbg.model import CallKind, Function, Site
from tensordbg.trace.graphs.graph_files import GraphStage, kept_graphs
from tensordbg.trace.reader import TraceReader


@dataclass(frozen=True)
class GraphNode:
    """One operation of a function, at one place."""

    name: str
    """Call path and name: `while/body/while/Sin`."""
    op_type: str
    depth: int
    """How many calls it stands in."""
    part: str
    """Which part of the call around it: `cond`, `body`, `then`, `else`, `branch0`... or nothing."""
    inputs: tuple[str, ...]
    """The tensors that it takes, `name` or `name:1`."""
    waits_for: tuple[str, ...]
    """The operations that it only waits for."""
    runs_anyway: bool
    """Whether its function runs it though no result needs it."""
    dtypes: tuple[str, ...]
    """Of its outputs."""
    shapes: tuple[tuple[int, ...] | None, ...]
    """Of its outputs, as last recorded."""
    device: str
    """Asked for by the program."""
    argument: int
    """Position among its function's arguments, -1 where it is none."""
    calls: tuple[str, ...]
    """Names of the functions that it runs."""
    events: int
    """How many of its tensors were recorded, over all places and steps."""
    non_finite: int
    """How many of those had an infinity or a NaN."""
    source: SourceLine | None
    """The innermost line of the user's own code that created it."""


@dataclass(frozen=True)
class FunctionGraph:
    """The graph of one function."""

    function: Function
    calls: int
    """How often it was called from Python."""
    others: tuple[Function, ...]
    """Other functions of the same name."""
    nodes: tuple[GraphNode, ...]
    results: tuple[str, ...]
    """The operations that it gives the outputs of."""
    operations: int
    """How many there are; `nodes` may be fewer."""
    unopened: int
    """How many calls were left closed."""
    stages: tuple[GraphStage, ...]
    """Which graphs of it the trace holds whole."""


@dataclass(frozen=True)
class Section:
    """Which part of a graph is wanted."""

    depth: int | None = 1
    """How many levels of calls are opened, None for all."""
    around: str = ""
    """Only operations near this one; empty for all."""
    hops: int = 2
    """How many steps along the data, up and down, count as near."""


def function_graph(reader: TraceReader, name: str, section: Section | None = None) -> FunctionGraph:
    """The graph of a function as Python built it.

    Args:
        reader: The trace.
        name: Of the function, in Python or in the runtime, or its number.
        section: Which part of it; by default all, with one level of calls opened.

    Raises:
        UsageError: If there is no such function, or no such operation in it.
    """
    section = section or Section()
    program = read_program(reader)
    chosen = choose_function(reader, program, name)
    tree = call_tree(program, chosen.function, KeptGraphs(reader, program).sites_of, section.depth)
    keys = list(tree.instances)
    if section.around:
        centre = _centre(reader, tree, section.around)
        near = neighbourhood(tree, centre, section.hops) | (tree.waiting(centre) if section.hops else frozenset())
        keys = [key for key in keys if key in near]
    return _described(reader, program, chosen, tree, keys)


def neighbourhood(tree: CallTree, key: str, hops: int) -> frozenset[str]:
    """The operations at most so many steps away along the data, and the calls that they stand in."""
    near = {key}
    edge = {key}
    for _ in range(hops):
        edge = {each for one in edge for each in (*tree.sources[one], *tree.consumers[one])} - near
        near |= edge
    for one in list(near):
        caller = tree.instances[one].caller
        while caller and caller not in near:
            near.add(caller)
            caller = tree.instances[caller].caller
    return frozenset(near)


def find_operation(keys: Iterable[str], wanted: str) -> str:
    """The operation with a name; the end of a call path is enough where it is the only one.

    Raises:
        UsageError: If there is none, or several.
    """
    names = list(keys)
    if wanted in names:
        return wanted
    found = [name for name in names if name.endswith(f"/{wanted}")]
    if len(found) == 1:
        return found[0]
    near = found[:5] or get_close_matches(wanted, names, n=3)
    if found:
        raise UsageError(f"{len(found)} operations are named {wanted!r}; choose one of {', '.join(near)}")
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "leave --around out to see all"
    raise UsageError(f"no operation {wanted!r} in the part that is shown; {hint} --depth opens more calls")


def _centre(reader: TraceReader, tree: CallTree, wanted: str) -> str:
    """The operation that is meant by a name, be it one of the call path or any other that means one operation only."""
    try:
        return find_operation(tree.instances, wanted)
    except UsageError:
        sites = {each.site.site for each in tree.instances.values()}
        recorded = {ref for ref in recorded_tensors(reader) if ref.site in sites}
        meant = {ref.site for ref in find_named(tree.program, wanted, recorded).tensors}
        keys = [key for key, each in tree.instances.items() if each.site.site in meant]
        if len(keys) != 1:
            raise
        return keys[0]


def _described(
    reader: TraceReader, program: Program, chosen: ChosenFunction, tree: CallTree, keys: list[str]
) -> FunctionGraph:
    recorded = _recorded(reader, {tree.instances[key].site.site for key in keys})
    locations = Locations(program)
    nodes = tuple(_node(program, tree, tree.instances[key], recorded, locations) for key in keys)
    return FunctionGraph(
        function=chosen.function,
        calls=chosen.calls,
        others=chosen.others,
        nodes=nodes,
        results=tree.results,
        operations=len(tree.instances),
        unopened=tree.unopened,
        stages=kept_graphs(reader.path).get(chosen.function.function, ()),
    )


def _node(
    program: Program, tree: CallTree, instance: Instance, recorded: Mapping[tuple[int, int], Any], locations: Locations
) -> GraphNode:
    site = instance.site
    slots = [recorded.get((site.site, slot)) for slot in range(len(site.dtypes))]
    called = [_name(program, site, function) for function in program.called_by(site) if function is not None]
    return GraphNode(
        name=instance.key,
        op_type=site.op_type,
        depth=instance.depth,
        part=instance.part,
        inputs=tuple(f"{key}:{slot}" if slot else key for key, slot in tree.inputs(instance)),
        waits_for=tuple(tree.waits_for(instance)),
        runs_anyway=runs_anyway(site),
        dtypes=site.dtypes,
        shapes=tuple(None if slot is None else shape_of(slot["shape"]) for slot in slots),
        device=site.device,
        argument=site.argument,
        calls=tuple(dict.fromkeys(called)),
        events=sum(slot["events"] for slot in slots if slot is not None),
        non_finite=sum(slot["bad"] for slot in slots if slot is not None),
        source=locations.own(locations.stack(site.stack)),
    )


def _name(program: Program, site: Site, function: Function) -> str:
    """The name of a function that an operation calls; of one for a dataset that of Python, which has written it."""
    by_program = site.call is not CallKind.OTHER
    return function.name if by_program else program.python_names.get(function.function, function.name)


def _recorded(reader: TraceReader, sites: set[int]) -> dict[tuple[int, int], dict[str, Any]]:
    """By site and slot: how many events, how many of them bad, and the last shape."""
    if not sites:
        return {}
    answer = sql(
        reader,
        "SELECT site, slot, count(*) AS events, arg_max(shape, event) AS shape, "
        "count(*) FILTER (coalesce(nan, 0) + coalesce(neg_inf, 0) + coalesce(pos_inf, 0) > 0 "
        "OR coalesce(first_bad, -1) <> -1) AS bad "
        f"FROM tensors WHERE site IN ({', '.join(map(str, sorted(sites)))}) GROUP BY site, slot",
    )
    return {(row["site"], row["slot"]): row for row in answer.to_pylist()}
