"""Notes on what a trace can't show, for a program in which the trail of an origin ends at such a thing.

A recording sees the operations of one process from when it began. What NumPy computes, or another process, or another
library, or a pipeline that was there before, is known by what came out of it alone. What the trace holds, the types of
its operations and the program's text, tells which of these it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.finding import Origin
from tensordbg.analysis.flow.stores import puts_into, takes_out_of
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.operations import INPUT, named, operation_of
from tensordbg.model import NONE, CallKind, Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait
from tensordbg.packages import COMPUTING, is_among_packages

_ENDS = frozenset({"bad_before_step", "bad_input_data", "source_not_seen", "unknown"})
"""Causes that say that the trail ends here."""

_GENERATOR = "generator"
"""A word in the names of the functions by which tf.data calls a Python generator."""

_INTERPRETER = r"\bInterpreter\s*\("
"""TensorFlow itself loads that of TFLite, so that only the program's text tells whether it is used."""

_CUSTOM = r"\bload_op_library\s*\("
_OLD_PIPELINE = r"\.(?:filter|map)_with_legacy_function\s*\("


@dataclass(frozen=True)
class _End:
    """Where a trail ends."""

    origin: Origin
    site: Site
    program: Program
    recorded: frozenset[int]
    """The sites with events."""
    ran: tuple[Site, ...]
    """The operations that ran, as far as is known, with or without events."""

    @property
    def op_type(self) -> str:
        """The type of the origin's operation."""
        return self.origin.view.op_type

    def inputs(self) -> Iterator[Site]:
        """The operations that it takes from, in its own graph."""
        for ref in self.program.inputs_of(self.site.site):
            for behind in self.program.handed_on(ref):
                last = behind
            yield from (self.program.sites[last.site],) if ref.site in self.program.sites else ()

    def line_of(self, pattern: str) -> str:
        """The first line of the program's text that fits, in words; empty where none does."""
        for file, text in self.program.sources.items():
            if is_among_packages(file):
                continue
            for number, line in enumerate(text.splitlines(), 1):
                if re.search(pattern, line):
                    return f"{file}:{number}"
        return ""


def unseen_notes(values: Values, origins: Iterable[Origin]) -> tuple[str, ...]:
    """Returns a line for each origin behind which lies what can't be seen."""
    program = values.program
    ending = [origin for origin in origins if origin.cause in _ENDS and origin.view.site in program.sites]
    if not ending:
        return ()
    recorded, ran = frozenset(np.unique(values.events.site).tolist()), _ran(values)
    found: dict[str, None] = {}
    for origin in ending:
        end = _End(origin, program.sites[origin.view.site], program, recorded, ran)
        said = next(filter(None, (sentence(end) for sentence in _SENTENCES)), "")
        if said:
            found[f"{_named(origin)}: {said}"] = None
    return tuple(found)


def _ran(values: Values) -> tuple[Site, ...]:
    """Eager operations that ran, and those of graphs that ran: a trace describes others too."""
    program, executions = values.program, values.executions
    called = (program.functions.get(number) for number in np.unique(executions.function).tolist())
    waiting = [function.graph for function in called if function is not None]
    waiting += [program.sites[site].function for site in np.unique(values.events.site).tolist()]
    graphs: set[int] = {NONE}
    while waiting:
        graph = waiting.pop()
        if graph not in graphs:
            graphs.add(graph)
            inner = (program.called_by(site) for site in program.sites_of_graph.get(graph, ()) if site.called)
            waiting += [function.graph for functions in inner for function in functions if function is not None]
    eager = [program.sites[site] for site in np.unique(executions.site).tolist() if site in program.sites]
    return (*eager, *(site for graph in graphs - {NONE} for site in program.sites_of_graph.get(graph, ())))


def _named(origin: Origin) -> str:
    line = f", {origin.source.file}:{origin.source.line}" if origin.source is not None else ""
    return f"{origin.view.tensor} ({origin.view.op_type}{line})"


def _from_python(end: _End) -> str:
    if not named(end.op_type).has(Trait.CALLS_PYTHON):
        return ""
    if _GENERATOR in end.origin.view.function:
        return (
            "what a Python generator computes before it yields is not recorded; look at what it yields, or make the "
            "numbers in a `map` behind it"
        )
    return (
        "what NumPy or plain Python computes in a function that a graph calls is not recorded, only what goes in and "
        "comes out; look into that function, or write it with TensorFlow's operations"
    )


def _from_service(end: _End) -> str:
    service = any(operation_of(site).has(Trait.FROM_SERVICE) for site in end.ran)
    if not service or not named(end.op_type).has(Trait.FROM_PIPELINE, Trait.FROM_SERVICE):
        return ""
    return (
        "the elements were computed by the workers of a tf.data service, and what other processes compute is not in "
        "this trace; record them too, `tdbg run` for each, or run once without `distribute`"
    )


def _from_a_pipeline_of_before(end: _End) -> str:
    makers = (operation_of(site).has(Trait.MAKES_PIPELINE) for site in end.ran)
    if not named(end.op_type).has(Trait.FROM_PIPELINE) or any(makers):
        return ""
    return (
        "its input pipeline was made before the recording began, so what the functions of that compute is not "
        "recorded; make the dataset inside of the recording, or record the whole program with `tdbg run`"
    )


def _from_an_old_function(end: _End) -> str:
    line = end.line_of(_OLD_PIPELINE) if named(end.op_type).has(Trait.FROM_PIPELINE) else ""
    if not line:
        return ""
    return (
        f"what a legacy function of its input pipeline computes ({line}) is not recorded; write `map` or `filter` in "
        "its place"
    )


def _from_a_store(end: _End) -> str:
    store = takes_out_of(end.op_type)
    if not store or any(puts_into(site.op_type) == store for site in end.ran):
        return ""
    return (
        f"nothing recorded had put anything into this {store}: it was filled before the recording began, or by another "
        "process; record that as well"
    )


def _from_an_engine(end: _End) -> str:
    types = [end.op_type, *(site.op_type for site in end.inputs() if site.site not in end.recorded)]
    engine = next((each for each in types if named(each).engine), "")
    if not engine:
        return ""
    return (
        f"what {engine} runs, {named(engine).engine}, is not recorded inside, only what goes in and comes out; check "
        "it where it was made"
    )


def _from_a_call(end: _End) -> str:
    calls = [site for site in end.inputs() if site.site not in end.recorded]
    for site in [*([end.site] if end.origin.cause == "unknown" else []), *calls]:
        if site.call in (CallKind.CALL, CallKind.IF, CallKind.WHILE) and site.called:
            functions = [each for each in end.program.called_by(site) if each is not None]
            inside = {s.site for each in functions for s in end.program.sites_of_graph.get(each.graph, ())}
            if not inside & end.recorded:
                names = ", ".join(each.name for each in functions) or ", ".join(site.called)
                return (
                    f"what {names} computes inside is not recorded, as it was made ready before the recording began, "
                    "runs in another process, or is kept apart by the runtime (a `Defun` with `noinline`, a loop or "
                    "branch of such functions); begin earlier, `tdbg run` for the whole program, or call it inline"
                )
    return ""


def _from_an_own_operation(end: _End) -> str:
    if end.origin.cause != "unknown" or end.site.op_type == INPUT:
        return ""
    loaded = end.program.loaded
    if loaded is not None:
        return (
            f"{end.site.op_type} is an operation that the program brings along, in a library that it loads: nothing is "
            "known of what it computes inside; look at its kernel"
            if end.site.op_type in loaded.operations
            else ""
        )
    line = end.line_of(_CUSTOM)
    if not line:
        return ""
    return (
        f"the program brings operations of its own along ({line}); if {end.op_type} is one of them, nothing is known "
        "of what it computes inside: look at its kernel"
    )


def _from_another_library(end: _End) -> str:
    if end.op_type != INPUT and (named(end.op_type).kind is not Kind.ARGUMENT or end.site.argument == NONE):
        return ""
    loaded = end.program.loaded
    line = end.line_of(_INTERPRETER)
    if line:
        return _other("computes with", "the TFLite interpreter", line)
    for module, name in COMPUTING.items():
        line = end.line_of(rf"^\s*(?:import|from)\s+{module}\b")
        if line if loaded is None else module in loaded.libraries:
            return _other("computes with" if line else "has loaded", name, line)
    return ""


def _other(what: str, name: str, line: str) -> str:
    return (
        f"the program also {what} {name}{f' ({line})' if line else ''}, which is not recorded; if the value is from "
        "there, check what was given to it and what it gave back"
    )


_SENTENCES: tuple[Callable[[_End], str], ...] = (
    _from_python,
    _from_service,
    _from_a_pipeline_of_before,
    _from_an_old_function,
    _from_a_store,
    _from_an_engine,
    _from_a_call,
    _from_an_own_operation,
    _from_another_library,
)
"""What may lie behind an origin, in the order in which it is looked for."""
