"""The functions of a program and how often each was traced: for which arguments, at which step, from which line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tensordbg.analysis.columns.reading import TraceSource
from tensordbg.analysis.finding import SourceLine
from tensordbg.analysis.program.description import Program, read_program
from tensordbg.analysis.program.events import Executions, read_executions
from tensordbg.analysis.program.locations import Locations
from tensordbg.model import Function
from tensordbg.operations.frameworks import TENSORFLOW
from tensordbg.operations.pipeline_names import is_of_pipeline


@dataclass(frozen=True)
class Parameter:
    """The argument that a parameter of a Python function was given when the function was traced."""

    name: str
    kind: str
    """`tensor`, `value` (of Python), `object` or `structure`."""
    text: str
    """`float32[8, 4]`, `3`, `Model object at 0x7f...`."""
    dtype: str = ""
    """Of a tensor."""
    shape: str = ""
    """Of a tensor, with `?` for what is left open."""


@dataclass(frozen=True)
class Split:
    """A line at which a compiler ended a graph though the function goes on."""

    place: SourceLine
    reason: str
    """In the compiler's words."""


@dataclass(frozen=True)
class FunctionTrace:
    """One trace of a function."""

    function: int
    runtime_name: str
    python: int
    """Equal for the traces of one Python function; made anew, it is another."""
    parameters: tuple[Parameter, ...]
    signature: str
    """Types of the graph's arguments."""
    calls: int
    """How often Python called it."""
    step: int | None
    """At which call of the function, over all its traces, it was called first; None where Python never called it."""
    source: SourceLine | None
    """The line of the user's own code whose call had it traced."""
    gone: int
    """How many functions made at the same definition existed no longer."""
    splits: tuple[Split, ...] = ()
    """Where each call leaves compiled code."""


@dataclass(frozen=True)
class TracedFunction:
    """All traces of the functions with one definition."""

    name: str
    definition: SourceLine | None
    """None where it is not known, as in an imported trace."""
    traces: tuple[FunctionTrace, ...]
    framework: str

    @property
    def calls(self) -> int:
        """How often Python called it."""
        return sum(trace.calls for trace in self.traces)


def list_functions(trace: TraceSource) -> tuple[TracedFunction, ...]:
    """All functions that were traced from Python or called by it, in the order of their first trace."""
    program = read_program(trace)
    return traced_functions(program, read_executions(trace, program))


def traced_functions(program: Program, executions: Executions) -> tuple[TracedFunction, ...]:
    """See `list_functions`."""
    locations = Locations(program)
    graphs, first, counts = np.unique(executions.graph, return_index=True, return_counts=True)
    calls = dict(zip(graphs.tolist(), counts.tolist(), strict=True))
    steps = dict(zip(graphs.tolist(), executions.step[first].tolist(), strict=True))
    groups: dict[tuple[str, str, int], list[FunctionTrace]] = {}
    definitions: dict[tuple[str, str, int], SourceLine | None] = {}
    for function in _plain(program):
        tracing = json.loads(function.tracing or "{}")
        count = calls.get(function.function, 0)
        if not tracing and not count:
            continue
        key = (program.python_names[function.function], tracing.get("file", ""), tracing.get("line", 0))
        definitions[key] = locations.line(key[1], key[2], key[0], tracing.get("user", False)) if key[2] else None
        groups.setdefault(key, []).append(
            FunctionTrace(
                function=function.function,
                runtime_name=function.runtime_name,
                python=tracing.get("python", function.function),
                parameters=tuple(Parameter(name, **given) for name, given in tracing.get("parameters", {}).items()),
                signature=function.signature,
                calls=count,
                step=steps.get(function.function),
                source=locations.own(locations.stack(function.stack)),
                gone=tracing.get("gone", 0),
                splits=tuple(_splits(tracing, locations)),
            )
        )
    return tuple(
        TracedFunction(key[0], definitions[key], tuple(traces), _framework(program, traces[0]))
        for key, traces in groups.items()
    )


def _splits(tracing: Mapping[str, Any], locations: Locations) -> Iterator[Split]:
    for said in tracing.get("splits", []):
        yield Split(
            locations.line(said["file"], said["line"], said["function"], said["user"]),
            said["reason"],
        )


def _framework(program: Program, trace: FunctionTrace) -> str:
    graph = program.functions[trace.function].graph
    return next((site.framework for site in program.sites_of_graph.get(graph, ())), TENSORFLOW)


def _plain(program: Program) -> Iterator[Function]:
    """The functions without passes made of them for gradients, those of input pipelines and bodies of statements."""
    for function in program.functions.values():
        given = is_of_pipeline(function.name, program.stacks.get(function.stack, ()))
        if function.graph == function.function and not given and function.graph not in program.statements:
            yield function
