"""Finds the function that is meant by a name: several traces of one Python function bear the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from tensordbg.analysis.columns.reading import TraceSource, integers, tensor_pieces
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.function_titles import function_title
from tensordbg.errors import UsageError
from tensordbg.model import NONE, CallKind, Function
from tensordbg.operations.pipeline_names import is_of_pipeline


@dataclass(frozen=True)
class ChosenFunction:
    """A function, and others that could have been meant."""

    function: Function
    calls: int
    """How often it was called from Python."""
    others: tuple[Function, ...]
    """Of the same name, those that were called most often first."""


def choose_function(trace: TraceSource, program: Program, wanted: str) -> ChosenFunction:
    """The function with a name, a runtime name or a number; of several that which was called, or else ran, most often.

    Raises:
        UsageError: If there is none.
    """
    calls = Counter(integers(trace.table("executions", ["function"]), "function", NONE).tolist())
    found = _candidates(program, wanted)
    if not found:
        raise UsageError(_unknown(program, wanted))
    ran = tensors_of_graphs(trace, program) if len(found) > 1 else {}
    found.sort(
        key=lambda each: (-calls[each.function], -ran.get(each.graph, 0), each.graph != each.function, each.function)
    )
    return ChosenFunction(found[0], calls[found[0].function], tuple(found[1:]))


def tensors_of_graphs(trace: TraceSource, program: Program) -> dict[int, int]:
    """For each graph how many tensors it computed, with the loops and branches in it, whoever called it."""
    counts = np.zeros(program.site_count, dtype=np.int64)
    for _, table in tensor_pieces(trace, ["site"]):
        counts += np.bincount(integers(table, "site"), minlength=len(counts))[: len(counts)]
    found: dict[int, int] = {}
    for number, site in program.sites.items():
        for graph in _around(program, site.function):
            found[graph] = found.get(graph, 0) + int(counts[number])
    return found


def _around(program: Program, graph: int) -> Iterator[int]:
    """A graph, and those whose loop or branch it is, from the inside out."""
    seen: set[int] = set()
    while graph != NONE and graph not in seen:
        yield graph
        seen.add(graph)
        graph = program.holders[graph].function if graph in program.holders else NONE


def parts_of_functions(program: Program) -> frozenset[int]:
    """The functions that are a loop's condition or body or a branch; they bear the name of the one around them."""
    return frozenset(
        function.function
        for site in program.sites.values()
        if site.call in (CallKind.IF, CallKind.WHILE)
        for function in program.called_by(site)
        if function is not None
    )


def _candidates(program: Program, wanted: str) -> list[Function]:
    if wanted.isdecimal() and int(wanted) in program.functions:
        return [program.functions[int(wanted)]]
    if wanted in program.by_runtime_name:
        return [program.by_runtime_name[wanted]]
    named = [each for each in program.functions.values() if wanted in (each.name, *_titles(program, each))]
    parts = parts_of_functions(program)
    return [each for each in named if each.function not in parts] or named


def _titles(program: Program, function: Function) -> tuple[str, ...]:
    """What a reader is told as its name, first that of Python if a pipeline was given it."""
    title = function_title(function.name)
    given = is_of_pipeline(function.name, program.stacks.get(function.stack, ()))
    return (program.python_names[function.function], title) if given else (title,)


def _unknown(program: Program, wanted: str) -> str:
    names = sorted({_titles(program, each)[0] for each in program.functions.values()})
    if not names:
        return f"no function {wanted!r}: the trace has none; an eager program has no graph"
    near = get_close_matches(wanted, names, n=3) or names[:5]
    more = "" if len(near) < 5 or len(names) <= 5 else f" (and {len(names) - 5} more)"
    return f"no function {wanted!r}; choose one of {', '.join(near)}{more}, or a number"
