"""Keeps the graphs of functions, where that was asked for: as Python built them, and as they run.

A recorded function has probes, which TensorFlow can't fuse with anything; so its graph shows less of what TensorFlow
does than the plain function's. Therefore two are made ready to run before the first call of a function from Python: a
copy of the plain function with all that it calls, which is then forgotten, and the recorded one, which the call finds
ready.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Any

from tensordbg.backends.tensorflow.eager.entries import Entries, Entry
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.built_graph import built_graph, leave_out_large_constants
from tensordbg.backends.tensorflow.functions.graphs import Description
from tensordbg.backends.tensorflow.functions.instrument import Functions, KnownFunction, Probes
from tensordbg.backends.tensorflow.internals import context
from tensordbg.backends.tensorflow.run_graphs.clean import clean_graph
from tensordbg.backends.tensorflow.run_graphs.collection import Call, CollectionError, GraphCollection, UsersCollection
from tensordbg.recording.recorder import Recorder
from tensordbg.trace.graphs.graph_files import GraphFiles, GraphStage

_PLAIN = "_tensordbg_plain"
"""The end of the name of a plain function's copy, for the moment in which it is there."""

_ATTEMPTS = 3
"""So many calls of a function are tried; other threads may disturb."""


class RunGraphs:
    """Writes graphs into one trace; a layer that looks at calls of functions."""

    depth = 0

    def __init__(self, recorder: Recorder, files: GraphFiles, functions: Functions, entries: Entries) -> None:
        self._recorder = recorder
        self._files = files
        self._functions = functions
        self._entries = entries
        self._lock = threading.RLock()
        self._collection = GraphCollection(entries)
        self._users = UsersCollection(self._lock)
        self._built: set[int] = set()
        self._attempts: dict[int, int] = {}
        self._skipped: dict[int, str] = {}

    def install(self) -> None:
        """Keeps graphs from now on."""
        self._users.install()
        self._entries.add(self)

    def uninstall(self) -> None:
        """Ends it, and says which graphs are not there."""
        self._entries.remove(self)
        self._users.uninstall()
        if self._skipped:
            self._recorder.warn(
                f"no graphs as they run of {', '.join(sorted(set(self._skipped.values())))}: the program collects run "
                "metadata itself; leave that out to have them"
            )
        if self._files.failure:
            self._recorder.warn(f"not all graphs were kept: {self._files.failure}")

    def built(self, number: int, runtime_name: str) -> None:
        """Keeps the graph of a function as Python built it."""
        definition = self._functions.plain_definition(runtime_name)
        if number not in self._built and definition is not None:
            self._built.add(number)
            self._files.write(number, GraphStage.BUILT, built_graph(definition))

    def fast_path(self, plain: Entry) -> Entry:
        """Operations have no graph."""
        return plain

    def execute(self, plain: Entry) -> Entry:
        """Keeps the graphs of a function before its first call."""

        def execute(handle: Any, device: Any, op_type: Any, *rest: Any) -> Any:
            name = op_type if isinstance(op_type, str) else op_type.decode()
            function = self._functions.find(name)
            if function is not None and self._attempts.get(function.number, 0) < _ATTEMPTS and self._recorder.active:
                with self._recorder.guard(f"keeping the graph of {function.name}"):
                    self._before_call(function, name, Call(handle, device, rest[0], rest[1], rest[-1]))
            return plain(handle, device, op_type, *rest)

        return execute

    def _before_call(self, function: KnownFunction, runtime_name: str, call: Call) -> None:
        with self._lock:
            number = function.number
            if self._attempts.get(number, 0) >= _ATTEMPTS:
                return
            if self._users.on:
                self._skipped[number] = function.name
                return
            self._skipped.pop(number, None)
            self._attempts[number] = self._attempts.get(number, 0) + 1
            try:
                self._keep_run(number, runtime_name, call)
                self._attempts[number] = _ATTEMPTS
            except CollectionError as error:
                if self._attempts[number] >= _ATTEMPTS:
                    self._recorder.warn(f"no graph of {function.name} as it runs: {error}")

    def _keep_run(self, number: int, runtime_name: str, call: Call) -> None:
        plain = self._collect_copies(list(self._plain_copies(runtime_name)), call)
        self._files.write(number, GraphStage.RUN, _run_graph(plain))
        try:
            recorded = self._collection.collect(runtime_name, call)
        except CollectionError:
            # It has been called before, so it is ready to run; a copy is not.
            copy = context.context().get_function_def(runtime_name)
            copy.signature.name += _PLAIN
            recorded = self._collect_copies([copy], call)
        self._files.write(number, GraphStage.RECORDED, _run_graph(recorded))

    def _collect_copies(self, copies: list[Any], call: Call) -> Any:
        """The graphs of the first of these definitions, which may call the others; none is left behind."""
        runtime = context.context()
        try:
            for copy in reversed(copies):
                runtime.add_function_def(copy)
            return self._collection.collect(copies[0].signature.name, call)
        finally:
            for copy in copies:
                if runtime.has_function(copy.signature.name):
                    runtime.remove_function(copy.signature.name)

    def _plain_copies(self, runtime_name: str) -> Iterator[Any]:
        """The plain function and all that it calls, under names of their own; the caller before the called."""
        found: dict[str, Any] = {}
        waiting = [runtime_name]
        while waiting:
            name = waiting.pop()
            original = None if name in found else self._functions.plain_definition(name)
            known = self._functions.find(name)
            if original is not None and known is not None:
                self.built(known.number, name)
                found[name] = copy = type(original)()
                copy.CopyFrom(original)
                waiting.extend(value.name for value in _named_functions(copy.node_def))
        if runtime_name not in found:
            raise CollectionError("its plain definition is gone")
        for copy in found.values():
            # Compiled by XLA it would be no graph of operations any more, and a cancelled call might run.
            fd.drop_xla(copy)
            copy.signature.name += _PLAIN
            for value in _named_functions(copy.node_def):
                if value.name in found:
                    value.name += _PLAIN
            yield copy


class GraphKeepingProbes(Probes):
    """Probes, while the graphs of functions are kept too."""

    def __init__(self, recorder: Recorder, graphs: RunGraphs) -> None:
        super().__init__(recorder)
        self._graphs = graphs

    def add_nodes(self, definition: Any, described: Description) -> None:
        """One probe for each tensor; the graph is kept without them."""
        super().add_nodes(definition, described)
        self._graphs.built(described.function.function, described.function.runtime_name)


def _named_functions(nodes: Iterable[Any]) -> Iterator[Any]:
    """The attributes of nodes that name functions."""
    for node in nodes:
        for attribute in node.attr.values():
            if attribute.HasField("func"):
                yield attribute.func
            yield from attribute.list.func


def _run_graph(graphs: Any) -> bytes:
    """The parts of all devices as one GraphDef, serialized, without what is ours."""
    import tensorflow as tf  # imported by the program already

    run = tf.compat.v1.GraphDef()
    run.versions.producer = tf.version.GRAPH_DEF_VERSION
    for part in graphs.partition_graphs:
        run.node.extend(part.node)
        known = {function.signature.name for function in run.library.function}
        run.library.function.extend(
            function for function in part.library.function if function.signature.name not in known
        )
    _drop_unused(run)
    clean_graph(run)
    nodes = [*run.node, *(node for function in run.library.function for node in function.node_def)]
    for node in nodes:
        origins = node.experimental_debug_info.original_func_names
        origins[:] = [name.removesuffix(_PLAIN) for name in origins]
        # Nodes that TensorFlow puts in say so of outputs that they do have; an importer would refuse that.
        if "_output_shapes" in node.attr and not node.attr["_output_shapes"].list.shape:
            del node.attr["_output_shapes"]
    for value in _named_functions(nodes):
        value.name = value.name.removesuffix(_PLAIN)
    for function in run.library.function:
        function.signature.name = function.signature.name.removesuffix(_PLAIN)
    leave_out_large_constants(nodes)
    message: bytes = run.SerializeToString()
    return message


def _drop_unused(graph: Any) -> None:
    """Takes out the functions of the library that no operation runs: most have been inlined."""
    by_name = {function.signature.name: function for function in graph.library.function}
    used: dict[str, Any] = {}
    waiting = [value.name for value in _named_functions(graph.node)]
    while waiting:
        name = waiting.pop()
        if name in by_name and name not in used:
            used[name] = by_name[name]
            waiting.extend(value.name for value in _named_functions(by_name[name].node_def))
    functions = [type(function).FromString(function.SerializeToString()) for function in used.values()]
    graph.library.ClearField("function")
    graph.library.function.extend(functions)
