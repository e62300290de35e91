"""Records TensorFlow: sets and takes out the hooks."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from typing import Protocol

from tensordbg import _native
from tensordbg.backends.tensorflow.eager.mentioned_names import MentionedNames
from tensordbg.backends.tensorflow.eager.outside_names import VariableNames, name_where_raised
from tensordbg.backends.tensorflow.eager.runs import EagerRuns
from tensordbg.backends.tensorflow.eager.tape_steps import TapeSteps
from tensordbg.backends.tensorflow.eager_composites import EagerComposites
from tensordbg.backends.tensorflow.failures.data_values import data_behind
from tensordbg.backends.tensorflow.failures.failed_operation import failed_in_python
from tensordbg.backends.tensorflow.failures.python_calls import PythonCalls
from tensordbg.backends.tensorflow.failures.refused_in_python import RefusedInPython
from tensordbg.backends.tensorflow.functions.instrument import Probes
from tensordbg.backends.tensorflow.hooks import eager_binding, framework_library, hooks
from tensordbg.backends.tensorflow.keras.symbols import KerasSymbols
from tensordbg.backends.tensorflow.keras_optimizers import KerasOptimizers
from tensordbg.backends.tensorflow.lite import LiteInterpreters
from tensordbg.backends.tensorflow.own_operations import own_operations
from tensordbg.backends.tensorflow.refused import RefusedOperations
from tensordbg.backends.tensorflow.run_graphs.clean import CleanRunMetadata
from tensordbg.backends.tensorflow.run_graphs.keep import GraphKeepingProbes, RunGraphs
from tensordbg.backends.tensorflow.saved_iterators import see_savings
from tensordbg.backends.tensorflow.sessions.recording import RecordedSessions
from tensordbg.backends.tensorflow.snapshots import see_snapshots
from tensordbg.backends.tensorflow.tracing.composites import Composites
from tensordbg.backends.tensorflow.tracing.differentiated import Differentiated
from tensordbg.backends.tensorflow.tracing.loop_gradients import LoopGradients
from tensordbg.backends.tensorflow.tracing.python_names import PythonNames
from tensordbg.backends.tensorflow.tracing.static_shapes import StaticShapes
from tensordbg.model import StatedTensor
from tensordbg.recording.catalog import CATALOG
from tensordbg.recording.failure import FailedOperation
from tensordbg.recording.recorder import Recorder

_clean = CleanRunMetadata()


class _Hook(Protocol):
    def install(self) -> None: ...

    def uninstall(self) -> None: ...


_HOOKS: tuple[Callable[[Recorder], _Hook], ...] = (
    Differentiated, RefusedOperations, PythonNames, LoopGradients, Composites, EagerComposites, EagerRuns, TapeSteps,
    RefusedInPython, PythonCalls, StaticShapes, VariableNames, MentionedNames, LiteInterpreters, KerasOptimizers,
)  # fmt: skip
"""What a recording looks on at beside operations, functions and sessions."""


class TensorFlowRecording:
    """Records TensorFlow 2.16 and later."""

    def __init__(self) -> None:
        self._hooks = contextlib.ExitStack()

    def install(self, recorder: Recorder) -> None:
        """Sets the hooks; the probe operation is registered once in a process.

        Raises:
            RuntimeError: If this TensorFlow lacks a function of its C API that the probe needs.
        """
        _native.register_tensorflow_probe(framework_library())
        _clean.install()
        see_savings()
        see_snapshots()
        _native.register_tensorflow_watch(framework_library())
        probes = Probes(recorder)
        if recorder.graphs is not None:
            graphs = RunGraphs(recorder, recorder.graphs, hooks().functions, hooks().entries)
            probes = GraphKeepingProbes(recorder, graphs)
            self._set(graphs)
        hooks().functions.add(probes)
        self._hooks.callback(hooks().functions.remove, probes)
        _native.find_eager_runtime(eager_binding())
        hooks().eager.install(recorder)
        self._hooks.callback(hooks().eager.uninstall)
        hooks().layers.install(recorder)
        self._hooks.callback(hooks().layers.uninstall)
        sessions = RecordedSessions(recorder, hooks().stacks)
        hooks().sessions.add(sessions)
        self._hooks.callback(hooks().sessions.remove, sessions)
        self._set(KerasSymbols(recorder, hooks().stacks))
        for kind in _HOOKS:
            self._set(kind(recorder))

    def uninstall(self) -> None:
        """Takes the hooks out again, the last first."""
        self._hooks.close()

    def _set(self, hook: _Hook) -> None:
        hook.install()
        self._hooks.callback(hook.uninstall)

    def failure(self, error: BaseException) -> FailedOperation | None:
        """Describes an error of TensorFlow's own Python code that none of its operations raised."""
        return failed_in_python(
            CATALOG, hooks().stacks, error, partial(name_where_raised, error, is_own=CATALOG.user_code.is_user)
        )

    def data_behind(self, error: BaseException) -> tuple[StatedTensor, ...]:
        """Where the data began that `fit` and its like were given."""
        return data_behind(error, CATALOG, hooks().stacks)

    def own_operations(self) -> list[str]:
        """Types of the operations of all libraries that `tf.load_op_library` has loaded."""
        return own_operations()

    def versions(self) -> dict[str, str]:
        """Versions of TensorFlow and, where it is installed, Keras."""
        import tensorflow as tf  # imported by the program already

        found = {"tensorflow": str(tf.__version__)}
        keras = _keras_version()
        if keras is not None:
            found["keras"] = keras
        return found


@cache
def _keras_version() -> str | None:
    """Looked up once: each time Python keeps what it found in the folders that have changed since."""
    with contextlib.suppress(PackageNotFoundError):
        return version("keras")
    return None
