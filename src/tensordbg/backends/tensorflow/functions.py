"""Instruments every function at the moment when the runtime learns of it.

The definition that the runtime keeps is replaced by one with probes. The Python graph, its gradients and what is
exported from it stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tensordbg.backends.tensorflow import definition as fd
from tensordbg.backends.tensorflow.graphs import Graphs, Told
from tensordbg.backends.tensorflow.internals import atomic_function, context, func_graph
from tensordbg.backends.tensorflow.originals import OriginalFunctions
from tensordbg.backends.tensorflow.tracing import Tracings
from tensordbg.recording.recorder import Recorder

XLA_NOTE = "meant to be compiled by XLA; recorded without the compilation"


@dataclass(frozen=True)
class KnownFunction:
    """A function that was instrumented."""

    number: int
    name: str
    step_key: object
    """Equal for all traces of one Python function."""


class Functions:
    """The hook into the making of functions; it outlives a recording, as the instrumented functions do."""

    def __init__(self, graphs: Graphs, tracings: Tracings) -> None:
        self._graphs = graphs
        self._known: dict[str, KnownFunction] = {}
        self._originals = OriginalFunctions()
        self._tracings = tracings
        self._plain_make: Any = None
        self._plain_trace: Any = None

    def install(self, recorder: Recorder) -> None:
        """Instruments all functions that are made from now on."""
        self._originals.install()
        self._plain_make = make = atomic_function.from_func_graph
        self._plain_trace = trace = func_graph.func_graph_from_py_func

        def from_func_graph(name: Any, graph: Any, *args: Any, **kwargs: Any) -> Any:
            function = make(name, graph, *args, **kwargs)
            if recorder.active:
                with recorder.guard("instrumenting a function"):
                    self._instrument(function, graph)
            return function

        def func_graph_from_py_func(name: Any, python_func: Any, *args: Any, **kwargs: Any) -> Any:
            graph = trace(name, python_func, *args, **kwargs)
            if recorder.active:
                with recorder.guard("looking at a function"):
                    self._tracings.keep(graph, python_func)
            return graph

        atomic_function.from_func_graph = from_func_graph
        func_graph.func_graph_from_py_func = func_graph_from_py_func

    def uninstall(self) -> None:
        """Takes the hooks out again; functions that were instrumented keep their probes, which then do nothing."""
        atomic_function.from_func_graph = self._plain_make
        func_graph.func_graph_from_py_func = self._plain_trace

    def find(self, runtime_name: str) -> KnownFunction | None:
        """The function with this name, if it was instrumented."""
        return self._known.get(runtime_name)

    def _instrument(self, function: Any, graph: Any) -> None:
        runtime_name = function.name
        self._originals.keep(function)
        definition = type(function.cached_definition)()
        definition.CopyFrom(function.cached_definition)
        notes = (XLA_NOTE,) if fd.drop_xla(definition) else ()
        fd.allow_inlining(definition)
        name = runtime_name.decode()
        tracing = self._tracings.describe(graph, function.function_type)
        described = self._graphs.describe(name, definition, graph, Told(notes, tracing))
        fd.keep_calls(definition, described.calls)
        fd.add_probes(definition, described.probes)
        runtime = context.context()
        runtime.remove_function(runtime_name)
        runtime.add_function_def(definition)
        step_key = self._tracings.python_function(graph) or name
        self._known[name] = KnownFunction(described.function.function, described.function.name, step_key)
