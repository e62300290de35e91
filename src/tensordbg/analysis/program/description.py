"""The program that a trace describes: its sites, functions, stacks and variables, by number.

All that does not grow with the steps. It is read once and is small, so it lies in plain Python objects.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tensordbg.allowed import AllowRule, rules_of
from tensordbg.analysis.columns.reading import Ints, TraceSource, integers, rows
from tensordbg.analysis.program.older_sites import with_backward
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.program.own_graph import edges_within_graphs, function_within_graph
from tensordbg.errors import UsageError
from tensordbg.model import NONE, CallKind, Frame, Function, Site, TensorRef, Variable
from tensordbg.operations.frameworks import TITLES, framework_of_type
from tensordbg.operations.kinds import Kind
from tensordbg.operations.pipeline_names import function_of_statement, program_title
from tensordbg.trace.program.catalog import KnownFunctions, KnownSites
from tensordbg.trace.program.facts import Differentiated, Loaded, Reads

_GENERATED = re.compile(r"(?:__(?:inference|forward|backward)_)+(.+?)_\d+$")
"""Names that TensorFlow gives to the passes of a function, around its own."""


@dataclass(frozen=True)
class Program:
    """Everything that a trace says of the program itself."""

    sites: Mapping[int, Site]
    functions: Mapping[int, Function]
    stacks: Mapping[int, tuple[Frame, ...]]
    sources: Mapping[str, str]
    variables: Mapping[int, Variable]
    paths: Mapping[int, str]
    edges: Ints
    """Columns site, input, from_site, from_slot; sorted by the first two."""
    allow: tuple[AllowRule, ...] = ()
    """Where infinities are allowed."""
    reads: Reads | None = None
    """Which bad eager values were read; None where that is not known."""
    differentiated: Mapping[int, Differentiated] = field(default_factory=dict)
    """Of which operation an execution of an eager backward pass computes the gradient, where the tape knew it."""
    loaded: Loaded | None = None
    """What the program had loaded that computes where nothing is recorded; None where that is not known."""

    @cached_property
    def site_count(self) -> int:
        """One more than the largest number of a site."""
        return max(self.sites, default=-1) + 1

    @cached_property
    def by_runtime_name(self) -> Mapping[str, Function]:
        """Functions by the name that call operations use."""
        return {function.runtime_name: function for function in self.functions.values()}

    @cached_property
    def edge_starts(self) -> Ints:
        """Where the edges of each site begin; one element more than there are sites."""
        return np.searchsorted(self.edges[:, 0], np.arange(self.site_count + 1))

    @cached_property
    def sites_of_graph(self) -> Mapping[int, tuple[Site, ...]]:
        """The sites of each function's graph."""
        graphs: dict[int, list[Site]] = {}
        for site in self.sites.values():
            graphs.setdefault(site.function, []).append(site)
        return {graph: tuple(sites) for graph, sites in graphs.items()}

    @cached_property
    def python_names(self) -> Mapping[int, str]:
        """The Python function that each graph came from: branches and bodies of loops belong to the one around them."""
        around = {graph: site.function for graph, site in self.holders.items()}
        names = {}
        for graph in self.functions:
            outer, seen = graph, {graph}
            while around.get(outer, NONE) in self.functions and around[outer] not in seen:
                outer = around[outer]
                seen.add(outer)
            function = self.functions[outer]
            name = self.statements.get(outer) or program_title(function.name, self.stacks.get(function.stack, ()))
            generated = _GENERATED.match(name)
            names[graph] = generated[1] if generated else name
        return names

    @cached_property
    def statements(self) -> Mapping[int, str]:
        """For each graph that was made of a part of a statement of the program, such as `for`, the function it is in.

        A `for` over a dataset in a graph is given to the dataset itself, so that no operation of a loop holds its body.
        """
        found = {}
        for graph, function in self.functions.items():
            outer = function_of_statement(self.stacks.get(function.stack, ())) if function.tracing else ""
            if outer:
                found[graph] = outer
        return found

    @cached_property
    def holders(self) -> Mapping[int, Site]:
        """For each graph that is a branch, or a loop's condition or body, the operation whose part it is."""
        return {
            function.graph: site
            for site in self.sites.values() if site.call in (CallKind.IF, CallKind.WHILE)
            for function in self.called_by(site) if function is not None
        }  # fmt: skip

    @cached_property
    def loop_arguments(self) -> frozenset[int]:
        """The sites of what the conditions and bodies of loops are given in each iteration."""
        loops = {graph for graph, site in self.holders.items() if site.call is CallKind.WHILE}
        return frozenset(s.site for s in self.sites.values() if s.argument >= 0 and s.function in loops)

    @cached_property
    def calls_of(self) -> Mapping[int, tuple[Site, ...]]:
        """For each graph the operations of other graphs that call it as a plain function."""
        calls: dict[int, list[Site]] = {}
        for site in self.sites.values():
            for function in self.called_by(site) if site.call is CallKind.CALL else ():
                if function is not None:
                    calls.setdefault(function.graph, []).append(site)
        return {graph: tuple(sites) for graph, sites in calls.items()}

    def inputs_of(self, site: int) -> list[TensorRef]:
        """The inputs of a site of a graph, in order."""
        if site not in self.sites:
            return []
        first, last = self.edge_starts[site], self.edge_starts[site + 1]
        return [TensorRef(int(edge[2]), int(edge[3])) for edge in self.edges[first:last]]

    def handed_on(self, ref: TensorRef, kinds: Collection[Kind] = (Kind.IDENTITY,)) -> Iterator[TensorRef]:
        """A tensor, and those that operations of some kinds only hand on as it: each is the input of the one before.

        What was forged may go round in a circle; each comes once.
        """
        seen: set[int] = set()
        while ref.site in self.sites and ref.site not in seen:
            yield ref
            seen.add(ref.site)
            given = self.inputs_of(ref.site) if operation_of(self.sites[ref.site]).kind in kinds else []
            ref = given[0] if given else TensorRef(NONE, 0)

    def called_by(self, site: Site) -> list[Function | None]:
        """The functions that a call operation runs, `None` for each that the trace does not hold."""
        return [self.by_runtime_name.get(name) for name in site.called]


def read_program(trace: TraceSource) -> Program:
    """Read what does not grow with the steps."""
    only = _only_framework(trace)
    functions, stacks = {row["function"]: _function(row) for row in rows(trace.table("functions"))}, _stacks(trace)
    described = (_site(row, only) for row in rows(trace.table("sites")))
    sites = KnownSites(with_backward(described, stacks, functions))
    return Program(
        sites=sites,
        functions=KnownFunctions({k: function_within_graph(each, sites) for k, each in functions.items()}),
        stacks=stacks,
        sources={row["file"]: row["text"] for row in rows(trace.table("sources", ["file", "text"]))},
        variables={row["variable"]: Variable(**row) for row in rows(trace.table("variables"))},
        paths={0: ""} | {row["path"]: row["name"] for row in rows(trace.table("paths"))},
        edges=edges_within_graphs(_edges(trace), sites),
        allow=_allowed(trace),
        reads=trace.facts.reads_to_the_end,
        differentiated=trace.facts.differentiated,
        loaded=trace.facts.loaded,
    )


def _allowed(trace: TraceSource) -> tuple[AllowRule, ...]:
    """The rules of the trace; one of a later version, which is not understood, is passed over."""
    found: list[AllowRule] = []
    for table in trace.facts.allow:
        with contextlib.suppress(UsageError):
            found.extend(rules_of([table], "allow"))
    return tuple(found)


def _only_framework(trace: TraceSource) -> str:
    """The framework that the program had imported, where it was one; older traces do not tell it of each site."""
    imported = trace.facts.frameworks.keys() & TITLES.keys()
    return next(iter(imported)) if len(imported) == 1 else ""


def _site(row: dict[str, Any], only: str) -> Site:
    values = dict(row)
    for name in ("dtypes", "called", "reads", "writes"):
        values[name] = tuple(row[name] or ())
    for name in ("name", "op_type", "device"):
        values[name] = row[name] or ""
    for name in ("function", "stack", "argument", "gradient_of"):
        values[name] = NONE if row[name] is None else row[name]
    values["call"] = CallKind(row["call"] or "")
    values["attributes"] = row["attributes"] or "{}"
    values["layer"] = row["layer"] or ""
    values["framework"] = row["framework"] or only or framework_of_type(values["op_type"])
    return Site(**values)


def _function(row: dict[str, Any]) -> Function:
    outputs = zip(row["output_sites"] or (), row["output_slots"] or (), strict=False)
    return Function(
        function=row["function"],
        name=row["name"] or "",
        runtime_name=row["runtime_name"] or "",
        graph=row["function"] if row["graph"] is None else row["graph"],
        stack=NONE if row["stack"] is None else row["stack"],
        arguments=tuple(row["arguments"] or ()),
        outputs=tuple(TensorRef(site, slot) for site, slot in outputs),
        captures=tuple(row["captures"] or ()),
        signature=row["signature"] or "",
        notes=tuple(row["notes"] or ()),
        tracing=row["tracing"] or "",
    )


def _stacks(trace: TraceSource) -> dict[int, tuple[Frame, ...]]:
    stacks: dict[int, list[tuple[int, Frame]]] = {}
    for row in rows(trace.table("stacks")):
        frame = Frame(row["file"] or "", row["line"] or 0, row["function"] or "", bool(row["user"]))
        stacks.setdefault(row["stack"], []).append((row["depth"], frame))
    return {
        stack: tuple(frame for _, frame in sorted(frames, key=lambda pair: pair[0])) for stack, frames in stacks.items()
    }


def _edges(trace: TraceSource) -> Ints:
    table = trace.table("edges")
    columns = [integers(table, name) for name in ("site", "input", "from_site", "from_slot")]
    order = np.lexsort((columns[1], columns[0]))
    return np.stack(columns, axis=1)[order]
