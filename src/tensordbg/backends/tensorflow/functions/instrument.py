"""Instruments every function at the moment when the runtime learns of it.

The definition that the runtime keeps is replaced by one with our nodes. The Python graph, its gradients and what is
exported from it stay as they are. Functions that were traced before are given such definitions later, see `live.py`.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Protocol

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions import device_summary
from tensordbg.backends.tensorflow.functions.contents import are_alike, completed
from tensordbg.backends.tensorflow.functions.failed_tracings import FailedTracings
from tensordbg.backends.tensorflow.functions.graphs import Description, FunctionNotes, Graphs
from tensordbg.backends.tensorflow.functions.live import LiveFunction, is_replaceable, live_functions
from tensordbg.backends.tensorflow.functions.originals import OriginalFunctions
from tensordbg.backends.tensorflow.functions.plain import PlainFunctions
from tensordbg.backends.tensorflow.functions.slots import add_reads
from tensordbg.backends.tensorflow.functions.waiting import (
    elements_wait_for_probes,
    looks_first,
    wait_for_probes,
    wait_for_slots,
)
from tensordbg.backends.tensorflow.internals import atomic_function, context, func_graph
from tensordbg.backends.tensorflow.own_frames import OwnFrames, unseen
from tensordbg.backends.tensorflow.remote_workers import RemoteWorkers
from tensordbg.backends.tensorflow.tracing.arguments import Tracings
from tensordbg.backends.tensorflow.tracing.yields import handed_out_at
from tensordbg.enumeration import first_few
from tensordbg.model import NONE, Function
from tensordbg.recording.recorder import Recorder

XLA_NOTE = "meant to be compiled by XLA; recorded without the compilation"


class Guarded(Protocol):
    """Something for which code of ours runs inside the program."""

    def guard(self, what: str) -> AbstractContextManager[None]:
        """A fault ends what it is for, never the program."""


class Instrument(Guarded, Protocol):
    """Something for which nodes are added to functions."""

    kind: str
    """Nodes of a kind that a function has already serve every later instrument of that kind."""

    @property
    def active(self) -> bool:
        """Whether functions are still to be given its nodes."""

    def warn(self, message: str) -> None:
        """Says something once."""

    def wants(self, graph: Any, definition: Any) -> bool:
        """Whether it has nodes for a function; one for which nobody has is left as it is, compiled by XLA or not."""

    def add_nodes(self, definition: Any, described: Description) -> None:
        """Adds its nodes to a definition."""


class Probes:
    """Has the tensors of functions recorded."""

    kind = "probe"

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    @property
    def active(self) -> bool:
        """Whether anything is still recorded."""
        return self._recorder.active

    def guard(self, what: str) -> AbstractContextManager[None]:
        """A fault ends the recording."""
        return self._recorder.guard(what)

    def warn(self, message: str) -> None:
        """In the trace and on standard error."""
        self._recorder.warn(message)

    def wants(self, graph: Any, definition: Any) -> bool:  # noqa: ARG002  all functions alike
        """Every function."""
        return True

    def add_nodes(self, definition: Any, described: Description) -> None:
        """One probe for each tensor, and for each slot that an optimizer's update leaves."""
        add_reads(definition, described.slots)
        slots = [read.point for read in described.slots]
        device_summary.add_probes(definition, [*described.probes, *slots], described.graph)
        wait_for_slots(definition, described.slots, {point.tensor: fd.probe_name(point) for point in slots})
        if looks_first(described) and not device_summary.accelerator_is_visible():
            wait_for_probes(definition)
        if described.is_loop_body:
            elements_wait_for_probes(definition)


@dataclass(frozen=True)
class KnownFunction:
    """A function that was instrumented."""

    number: int
    name: str
    step_key: object
    """Equal for all traces of one Python function."""
    instruments: dict[str, Instrument]
    """Whose nodes it has, by their kind."""
    handles: tuple[int, ...] = ()
    """Which of its arguments may be the handles of variables that each call gives; captured ones are not among them."""


class Functions:
    """The hook into the making of functions; it outlives a recording, as the instrumented functions do."""

    def __init__(self, graphs: Graphs, tracings: Tracings) -> None:
        self._graphs = graphs
        self._known: dict[str, KnownFunction] = {}
        self._made: dict[str, dict[frozenset[str], tuple[KnownFunction, Any]]] = {}
        """The definitions that functions have had, by the kinds of the nodes in them."""
        self._originals = OriginalFunctions()
        self._plain = PlainFunctions(self._originals, self._add_plain)
        self._own_frames = OwnFrames()
        self._tracings = tracings
        self._workers = RemoteWorkers()
        self._elsewhere = False
        """Whether other processes are given the functions, which know none of our operations."""
        self._instruments: list[Instrument] = []
        self.failed_tracings = FailedTracings()
        self._goes_on = False
        """Whether one of them has nodes that must also run in the steps that a recording leaves out."""
        self._plain_make: Any = None
        self._plain_add: Any = None
        self._plain_trace: Any = None

    def add(self, instrument: Instrument) -> None:
        """Has all functions given an instrument's nodes: those there are, and those that are made from now on."""
        if not self._instruments:
            self._install()
        self._instruments.append(instrument)
        self._note_what_goes_on()
        if self._elsewhere:
            instrument.warn(_ELSEWHERE)
        self._instrument_earlier(instrument)

    def remove(self, instrument: Instrument) -> None:
        """Takes its nodes out of all functions, which are again what they were; new ones are given none."""
        self._instruments.remove(instrument)
        self._note_what_goes_on()
        if not self._instruments:
            atomic_function.from_func_graph = self._plain_make
            func_graph.func_graph_from_py_func = self._plain_trace
            self._graphs.end()
        with instrument.guard("taking our nodes out of the functions"):
            self._take_out(instrument.kind)
            self._graphs.forget_what_is_gone()

    def _note_what_goes_on(self) -> None:
        self._goes_on = any(instrument.kind != Probes.kind for instrument in self._instruments)

    def _take_out(self, kind: str) -> None:
        gone = []
        for name, known in list(self._known.items()):
            function = self._originals.function(name.encode())
            if function is None:
                gone.append(name)
            # A pipeline has copied its functions, with the nodes that they had; they do nothing from now on.
            elif kind in known.instruments and is_replaceable(function, function._cached_graph):  # noqa: SLF001  see live.py
                self._instrument(function, function._cached_graph, self._active())  # noqa: SLF001
        for name in gone:
            self._known.pop(name, None)
            self._made.pop(name, None)

    def find(self, runtime_name: str) -> KnownFunction | None:
        """The function with this name, if it was instrumented."""
        return self._known.get(runtime_name)

    def plain_definition(self, runtime_name: str) -> Any:
        """The definition without our nodes of a function that was instrumented, None where it is gone."""
        return self._originals.definition(runtime_name.encode())

    def call_plain(self, guarded: Guarded, run: Callable[..., Any], call: Sequence[Any]) -> Any:
        """Runs the call of a function without our nodes, or with them where the runtime must have it once only.

        Nodes of other kinds than probes are for something else that must go on in the steps that are left out.

        Args:
            guarded: What ends where making the plain one ready fails.
            run: TensorFlow's entry for calls.
            call: What it is given; the third is the function's name.
        """
        if self._goes_on:
            return run(*call)
        return self._plain.call(guarded, run, call)

    def definition_of_ours(self, runtime_name: str) -> Any:
        """The definition that the runtime has of a function with our nodes, None of all others."""
        known = self._known.get(runtime_name)
        if known is None or not known.instruments:
            return None
        return self._made[runtime_name][frozenset(known.instruments)][1]

    def _install(self) -> None:
        self._originals.install()
        self._own_frames.leave_out()
        self._graphs.begin()
        self._workers.install(self._connects)
        self._elsewhere = self._workers.there_are()
        self._plain_make = make = atomic_function.from_func_graph
        self._plain_trace = func_graph.func_graph_from_py_func
        noting = self.failed_tracings.noting(self._plain_trace)

        def from_func_graph(name: Any, graph: Any, *args: Any, **kwargs: Any) -> Any:
            function = make(name, graph, *args, **kwargs)
            if active := self._active():
                with guarded_by(active, "instrumenting a function"):
                    self._instrument(function, graph, active)
            return function

        def func_graph_from_py_func(name: Any, python_func: Any, *args: Any, **kwargs: Any) -> Any:
            graph = noting(name, python_func, *args, **kwargs)
            active = self._active()
            if active:
                with guarded_by(active, "looking at a function"):
                    self._tracings.keep(graph, python_func)
                    self._graphs.stacks.note_handing_out(graph, handed_out_at(str(name), sys._getframe()))  # noqa: SLF001
            return graph

        if self._plain_add is None:
            # It stays so, as the functions with our nodes do.
            self._plain_add = context.Context.add_function_def

            def add_function_def(runtime: Any, definition: Any) -> None:
                self._add_definition(runtime, definition)

            context.Context.add_function_def = unseen(add_function_def)
        atomic_function.from_func_graph = unseen(from_func_graph)
        func_graph.func_graph_from_py_func = unseen(func_graph_from_py_func)

    def _active(self) -> list[Instrument]:
        return [instrument for instrument in self._instruments if instrument.active and not self._elsewhere]

    def _connects(self, elsewhere: bool) -> None:
        """The runtime is about to be connected to a cluster: what other processes are given is plain before."""
        active, self._elsewhere = self._active(), elsewhere
        for instrument in active if elsewhere else ():
            with instrument.guard("taking our nodes out of functions that other processes run"):
                self._take_out(instrument.kind)
                instrument.warn(_ELSEWHERE)

    def _instrument_earlier(self, instrument: Instrument) -> None:
        """Gives the functions that were traced before what they lack; names those with which it can't be done."""
        missed = {}
        for each in live_functions():
            known = self._known.get(each.name)
            if each.superseded or (known is not None and instrument.kind in known.instruments):
                continue
            if not each.replaceable or not self._try(each, instrument):
                missed[each.name] = each.title
        if missed:
            self._name_missed(missed, instrument)

    def _name_missed(self, titles: dict[str, str], instrument: Instrument) -> None:
        """Warns of functions of the program, by their names in the runtime, unless they are about to vanish."""
        gc.collect()
        missed = [titles[each.name] for each in live_functions() if each.name in titles and not each.of_keras]
        if missed:
            instrument.warn(
                f"{len(missed)} functions that were made before can't be looked into any more: {listed(missed)}; make "
                "them afterwards, or begin earlier"
            )

    def _try(self, each: LiveFunction, instrument: Instrument) -> bool:
        try:
            self._instrument(each.function, each.graph, self._active())
        except Exception:  # noqa: BLE001  whatever it is, this one function goes on as it was, and is named
            return False
        return instrument.active

    def _instrument(self, function: Any, graph: Any, instruments: list[Instrument]) -> None:
        runtime_name = function.name
        self._originals.keep(function)
        definition = type(function.cached_definition)()
        definition.CopyFrom(function.cached_definition)
        name = runtime_name.decode()
        instruments = [instrument for instrument in instruments if instrument.wants(graph, definition)]
        if self._has_been_made(function, {instrument.kind: instrument for instrument in instruments}):
            return
        notes = (XLA_NOTE,) if instruments and fd.drop_xla(definition) else ()
        tracing = self._tracings.describe(graph, function.function_type)
        described = self._graphs.describe(name, definition, graph, FunctionNotes(notes, tracing))
        by_kind = {instrument.kind: instrument for instrument in instruments}
        step_key = self._tracings.python_function(graph) or name
        handles = _handles(definition, described.function)
        number, title = described.function.function, described.function.name
        self._known[name] = KnownFunction(number, title, step_key, by_kind, handles)
        if not by_kind:
            return
        fd.allow_inlining(definition)
        ran = set(definition.control_ret.values())
        fd.keep_calls(definition, described.calls)
        for instrument in by_kind.values():
            instrument.add_nodes(definition, described)
        if described.is_loop_condition:
            # The runtime drops what else must run in a condition, but not what its result waits for.
            fd.results_wait_for(definition, [name for name in definition.control_ret.values() if name not in ran])
        self._replace(name, definition, function.cached_definition)
        self._made.setdefault(name, {})[frozenset(by_kind)] = self._known[name], definition

    def _has_been_made(self, function: Any, by_kind: dict[str, Instrument]) -> bool:
        """Gives a function the nodes of some kinds if it has had just these before; none if none are wanted."""
        name, plain = function.name.decode(), function.cached_definition
        known = self._known.get(name)
        if known is None:
            return False
        if known.instruments.keys() == by_kind.keys():
            return True
        made = self._made.get(name, {}) if by_kind else {frozenset(): (known, plain)}
        if frozenset(by_kind) not in made:
            return False
        known, definition = made[frozenset(by_kind)]
        self._known[name] = replace(known, instruments=by_kind)
        self._replace(name, definition, plain)
        return True

    def _replace(self, name: str, definition: Any, plain: Any) -> None:
        """Gives the runtime another definition of a function, as often as it was given the one before."""
        runtime = context.context()
        times = 0
        while runtime.has_function(name):
            runtime.remove_function(name)
            times += 1
        try:
            self._add_definition(runtime, definition)
        except Exception:
            # Refused by the runtime: the program needs the function, as it was.
            definition = plain
            self._add_definition(runtime, definition)
            raise
        finally:
            for _ in range(1, times):
                self._add_definition(runtime, definition)

    def _add_plain(self, runtime: Any, definition: Any) -> None:
        self._plain_add(runtime, definition)

    def _add_definition(self, runtime: Any, definition: Any) -> None:
        """Adds a definition; of a function that has our nodes the one with them, whoever comes with the plain one.

        A graph that calls a function brings its definition along, when it is made a function of its own
        (`wrap_function`) or is imported again: the runtime refuses a name under which it knows something else, as
        it does where the program comes with another function of that name.
        """
        name = definition.signature.name
        known = self._known.get(name)
        if known is not None and known.instruments and runtime.has_function(name):
            plain = self.plain_definition(name)
            if plain is None or are_alike(completed(definition), completed(plain)):
                definition = runtime.get_function_def(name)
        self._plain_add(runtime, definition)


_ELSEWHERE = (
    "this process has other processes run its functions, such as the workers of a parameter server strategy; what "
    "functions compute is not looked at, only eager operations: try the program with one process, "
    "or with servers that it starts itself"
)


def _handles(definition: Any, function: Function) -> tuple[int, ...]:
    """Which arguments of a function may be handles of variables that it is given anew with each call."""
    kinds = (argument.type for argument in definition.signature.input_arg)
    given = zip(kinds, function.captures, strict=True)
    return tuple(k for k, (kind, captured) in enumerate(given) if kind == dtypes.RESOURCE and captured == NONE)


@contextlib.contextmanager
def guarded_by(all_of_them: Sequence[Guarded], what: str) -> Iterator[None]:
    """A fault that it can't be told whose it is ends them all."""
    try:
        yield
    except Exception as fault:
        for each in all_of_them:
            with each.guard(what):
                raise fault from None


def listed(names: list[str]) -> str:
    """The first few of some names."""
    return first_few(sorted(set(names)), 5)
