"""Has TensorFlow make a function ready to run, without running it, and takes the graphs that come of it.

TensorFlow optimises a function, places it on devices and divides it among them when it is called for the first time. A
call that is cancelled before it begins does all that, and computes nothing. The graphs go to whoever listens for run
metadata, at the next call that comes to its end: one of a function that does nothing.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from tensordbg.backends.tensorflow.eager.entries import Entries
from tensordbg.backends.tensorflow.internals import cancellation, context, pywrap_tfe, summary_ops_v2
from tensordbg.backends.tensorflow.own_frames import unseen

_NOTHING = "tensordbg_nothing"


class CollectionError(Exception):
    """The graphs of a function can't be had; the message says why."""


@dataclass(frozen=True)
class Call:
    """A call of a function, as the eager runtime gets it."""

    handle: Any
    device: Any
    inputs: Any
    attributes: Any
    outputs: int


class UsersCollection:
    """Knows whether the program itself collects graphs or run metadata; then it is left alone."""

    _SWITCHES = (
        ("enable_run_metadata", True),
        ("enable_graph_collection", True),
        ("disable_run_metadata", False),
        ("disable_graph_collection", False),
    )

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock
        self._on = False
        self._plain: dict[str, Any] = {}

    @property
    def on(self) -> bool:
        """Whether it does so now, by `tf.summary.trace_on` or by what that calls."""
        return self._on or summary_ops_v2._current_trace_context is not None  # noqa: SLF001  described in internals.py

    def install(self) -> None:
        """Watches the switches from now on."""
        for name, on in self._SWITCHES:
            self._plain[name] = getattr(context.Context, name)
            setattr(context.Context, name, self._watched(self._plain[name], on))

    def uninstall(self) -> None:
        """Watches no longer."""
        for name, plain in self._plain.items():
            setattr(context.Context, name, plain)

    def _watched(self, plain: Any, on: bool) -> Any:
        def switch(runtime: Any) -> Any:
            with self._lock:
                self._on = on
                return plain(runtime)

        return unseen(switch)


class GraphCollection:
    """Gives the graphs of functions. Its caller holds a lock: TensorFlow has one place for the graphs of a process."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries
        self._tried = False

    def collect(self, name: str, call: Call) -> Any:
        """The `RunMetadata.FunctionGraphs` of the function `name`, called in this way.

        Raises:
            CollectionError: If they can't be had.
        """
        self._try_it_out(call)
        self._do_nothing(call)
        pywrap_tfe.TFE_ContextEnableGraphCollection(call.handle)
        try:
            self._make_ready(name, call)
            self._do_nothing(call)
            metadata = context.context().export_run_metadata()
        finally:
            pywrap_tfe.TFE_ContextDisableGraphCollection(call.handle)
        for graphs in metadata.function_graphs:
            names = [node.name for node in graphs.pre_optimization_graph.node]
            arguments = sum(node.op == "_Arg" for node in graphs.pre_optimization_graph.node)
            # Functions that other threads have just called for the first time may stand in the same graph.
            if arguments == len(call.inputs) and len(set(names)) == len(names):
                return graphs
        raise CollectionError("TensorFlow gave no graph, or one together with another function's")

    def _try_it_out(self, call: Call) -> None:
        """Makes sure that a cancelled call computes nothing in this TensorFlow, with a function that does nothing."""
        if self._tried:
            return
        runtime = context.context()
        if runtime.is_async():
            raise CollectionError("eager operations run asynchronously")
        import tensorflow as tf  # imported by the program already

        definition = tf.compat.v1.GraphDef().library.function.add()
        definition.signature.name = _NOTHING
        definition.node_def.add(name="nothing", op="NoOp")
        definition.signature.control_output.append("nothing")
        definition.control_ret["nothing"] = "nothing"
        if not runtime.has_function(_NOTHING):
            runtime.add_function_def(definition)
        self._make_ready(_NOTHING, Call(call.handle, call.device, [], call.attributes, 0))
        self._tried = True

    def _make_ready(self, name: str, call: Call) -> None:
        import tensorflow as tf  # imported by the program already

        cancelled = cancellation.CancellationManager()
        cancelled.start_cancel()
        handle = cancelled._impl  # noqa: SLF001  described in internals.py
        try:
            self._entries.cancelable(call.handle, call.device, name, call.inputs, call.attributes, handle, call.outputs)
        except tf.errors.CancelledError:
            return
        except Exception as error:
            raise CollectionError(" ".join(str(error).split())[:200]) from error
        raise CollectionError("this TensorFlow does not stop at a call that is cancelled")

    def _do_nothing(self, call: Call) -> None:
        handle = cancellation.CancellationManager()._impl  # noqa: SLF001  described in internals.py
        self._entries.cancelable(call.handle, call.device, _NOTHING, [], call.attributes, handle, 0)
