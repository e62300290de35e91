"""The operation that failed in a function of an input pipeline, where the program only learnt that no batch came.

A pipeline runs its functions in threads of its own, and its message names the operation without the function. So it is
looked for among those of that name: it is the one that has what it takes, and gave nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tensordbg.analysis.columns.reading import TraceSource
from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.failures.beginnings.numbers import out_of_range, refused
from tensordbg.analysis.failures.beginnings.recorded import RecordedPast
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.events import Executions
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE, Function, Site, TensorRef
from tensordbg.operations.pipeline_names import is_of_pipeline
from tensordbg.operations.traits import Trait
from tensordbg.trace.program.facts import Failure

_OF_TOGETHER = re.compile(r" with iterator: \S*::(?:Legacy)?(?:Parallel|MapAndBatch)\w*: ")
"""How a message names the stage; what the program wrote as one call at a time, TensorFlow may run otherwise."""
_MOST_CALLS = 9
"""So many are asked whether the error may be theirs."""


@dataclass(frozen=True)
class FailedElement:
    """An operation that failed as an element of a dataset was made."""

    site: Site
    given: Sequence[Made | None]
    past: RecordedPast
    trace: TraceSource
    """Where it is recorded."""
    call: int = NONE
    """How many calls of the function had begun before; `NONE` where not all of them may be known."""
    arguments: Sequence[Made] = ()
    """What the function was given in it."""
    together: bool = False
    """Whether several calls of it run at the same time, so that nothing tells which element it was for."""
    others: Sequence[FailedElement] = ()
    """The other calls that the error may be of, as it fits all of them."""


def failed_in_pipeline(
    trace: TraceSource, program: Program, executions: Executions, failure: Failure
) -> FailedElement | None:
    """The operation and what led to it; None where no function of a pipeline has one that failed."""
    named = [site for site in _of_pipelines(program) if _is_named(site, failure.nodes)]
    if not named:
        return None
    past = RecordedPast(trace, program, executions, NONE)
    last = past.values.invocations.last  # the first to fail is the one that the program learnt of
    found = ((invocation, site.site) for site in named for invocation in past.failed_invocations(site))
    runs = sorted(found, key=lambda each: (int(last[each[0]]), *each))
    sites = {site.site: site for site in named}
    failed = [FailedElement(sites[number], past.inputs_at(run, sites[number]), past, trace) for run, number in runs]
    # A pipeline runs ahead, so others may have failed behind the first; the message tells which number it was.
    whole = [k for k, each in enumerate(failed) if not any(_is_unknown(made) for made in each.given[:1])]
    fitting = [k for k, each in enumerate(failed) if _fits(each, failure.message)]
    possible = fitting or whole or (range(len(runs)) if len(named) == 1 else [])
    calls = _one_of_each_call((failed[k], runs[k][0]) for k in possible)
    if calls:
        first, *others = (_with_call(*each, failure.message) for each in calls)
        return replace(first, others=others)
    return FailedElement(named[0], _unknown_inputs(program, named[0]), past, trace) if _is_one(named, runs) else None


def _is_unknown(made: Made | None) -> bool:
    return made is not None and made.shape is None


def _one_of_each_call(failed: Iterable[tuple[FailedElement, int]]) -> list[tuple[FailedElement, int]]:
    """The first failed operation of each call of a pipeline's function, as many as may be told."""
    first: dict[tuple[int, int], tuple[FailedElement, int]] = {}
    for each, invocation in failed:
        run = int(each.past.values.invocations.run[invocation])
        first.setdefault((each.site.site, run), (each, invocation))
    return list(first.values())[:_MOST_CALLS]


def _is_one(named: Sequence[Site], runs: Sequence[object]) -> bool:
    """Whether the name alone says which it was: of the branch of an assertion nothing may be recorded."""
    return len(named) == 1 and not runs


def _unknown_inputs(program: Program, site: Site) -> Sequence[None]:
    return [None] * len(program.inputs_of(site.site))


def _with_call(failed: FailedElement, invocation: int, message: str) -> FailedElement:
    """Adds which call of the pipeline's function it was, where the function itself has the operation."""
    invocations, program = failed.past.values.invocations, failed.past.values.program
    if failed.past.is_cut or all(each.graph != failed.site.function for each in pipeline_functions(program)):
        return failed
    runs = np.unique(invocations.run[invocations.block == invocations.block[invocation]])
    given = _parameters(program, failed.site.function)
    sites = program.sites_of_graph[failed.site.function]
    refs = [TensorRef(site.site, 0) for site in sites if site.argument >= 0 and site.name.startswith(given)]
    made = (failed.past.in_graph(invocation, ref) for ref in refs)
    known = [each for each in made if each is not None and each.event != NONE]
    call = int(np.searchsorted(runs, invocations.run[invocation]))
    together = _OF_TOGETHER.search(message) is not None or _run_together(program, failed.site.function)
    return replace(failed, call=call, arguments=known, together=together)


def _run_together(program: Program, graph: int) -> bool:
    """Whether the stage of a pipeline that runs a function has several calls of it at a time."""
    locations, functions = Locations(program), [each for each in program.functions.values() if each.graph == graph]
    lines = {locations.own(locations.stack(function.stack)) for function in functions} - {None}
    makers = (site for site in program.sites.values() if operation_of(site).has(Trait.CALLS_TOGETHER))
    # Made eagerly it does not tell which function it runs, which was traced at its line.
    return any(
        locations.own(locations.stack(site.stack)) in lines or any(f in functions for f in program.called_by(site))
        for site in makers
    )


def _parameters(program: Program, graph: int) -> tuple[str, ...]:
    """How the names of the arguments begin that a call is given, others than what the function captured once."""
    tracing = next((each.tracing for each in program.functions.values() if each.graph == graph and each.tracing), "{}")
    return tuple(json.loads(tracing).get("parameters", {})) or ("",)


def _fits(failed: FailedElement, message: str) -> bool:
    wrong = out_of_range(message, failed.given)
    return wrong is not None and bool(refused(failed.given, wrong, failed.site.op_type))


def pipeline_functions(program: Program) -> list[Function]:
    """The functions that pipelines run for their elements."""
    makers = (site for site in program.sites.values() if operation_of(site).has(Trait.MAKES_PIPELINE))
    called = [function for site in makers for function in program.called_by(site) if function is not None]
    named = (
        each for each in program.functions.values() if is_of_pipeline(each.name, program.stacks.get(each.stack, ()))
    )
    return [*called, *named]


def _of_pipelines(program: Program) -> Iterator[Site]:
    """The operations of the functions that pipelines run, and of those that these call."""
    waiting = [function.graph for function in pipeline_functions(program)]
    seen: set[int] = set()
    while waiting:
        graph = waiting.pop()
        if graph in seen:
            continue
        seen.add(graph)
        for site in program.sites_of_graph.get(graph, ()):
            yield site
            waiting += [function.graph for function in program.called_by(site) if function is not None]


def _is_named(site: Site, nodes: tuple[str, ...]) -> bool:
    return any(node == site.name or node.endswith(f"/{site.name}") for node in nodes)
