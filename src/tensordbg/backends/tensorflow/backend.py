"""The backend for TensorFlow: sets and takes out the hooks."""

from __future__ import annotations

import contextlib
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from tensordbg import _native
from tensordbg.backends.tensorflow.clean_graphs import CleanRunMetadata
from tensordbg.backends.tensorflow.composites import Composites
from tensordbg.backends.tensorflow.differentiated import Differentiated
from tensordbg.backends.tensorflow.eager_runs import EagerRuns
from tensordbg.backends.tensorflow.failures import failed_in_python
from tensordbg.backends.tensorflow.functions import Probes
from tensordbg.backends.tensorflow.hooks import framework_library, hooks
from tensordbg.backends.tensorflow.line_gates import LineGates
from tensordbg.backends.tensorflow.loop_gradients import LoopGradients
from tensordbg.backends.tensorflow.own_operations import own_operations
from tensordbg.backends.tensorflow.python_names import PythonNames
from tensordbg.backends.tensorflow.refused import RefusedOperations
from tensordbg.backends.tensorflow.run_graphs import GraphKeepingProbes, RunGraphs
from tensordbg.backends.tensorflow.sessions_recording import RecordedSessions
from tensordbg.recording.catalog import CATALOG
from tensordbg.recording.failure import FailedOperation
from tensordbg.recording.recorder import Recorder

_clean = CleanRunMetadata()


class TensorFlowBackend:
    """Records TensorFlow 2.16 and later."""

    name = "tensorflow"

    def __init__(self) -> None:
        self._probes: Probes | None = None
        self._graphs: RunGraphs | None = None
        self._sessions: RecordedSessions | None = None
        self._eager_runs: EagerRuns | None = None
        self._differentiated: Differentiated | None = None
        self._names: PythonNames | None = None
        self._loop_gradients: LoopGradients | None = None
        self._refused: RefusedOperations | None = None
        self._composites: Composites | None = None
        self._gates: LineGates | None = None

    def install(self, recorder: Recorder) -> None:
        """Sets the hooks; the probe operation is registered once in a process.

        Raises:
            RuntimeError: If this TensorFlow lacks a function of its C API that the probe needs.
        """
        _native.register_tensorflow_probe(framework_library())
        _clean.install()
        _native.register_tensorflow_watch(framework_library())
        self._probes = Probes(recorder)
        if recorder.graphs is not None:
            self._graphs = RunGraphs(recorder, recorder.graphs, hooks().functions, hooks().entries)
            self._probes = GraphKeepingProbes(recorder, self._graphs)
            self._graphs.install()
        hooks().functions.add(self._probes)
        hooks().eager.install(recorder)
        hooks().layers.install(recorder)
        self._sessions = RecordedSessions(recorder, hooks().stacks)
        hooks().sessions.add(self._sessions)
        self._differentiated = Differentiated(recorder)
        self._differentiated.install()
        self._refused = RefusedOperations(recorder)
        self._refused.install()
        self._names = PythonNames(recorder)
        self._names.install()
        self._loop_gradients = LoopGradients(recorder)
        self._loop_gradients.install()
        self._composites = Composites(recorder)
        self._composites.install()
        self._eager_runs = EagerRuns(recorder)
        self._eager_runs.install()
        if recorder.lines is not None:
            self._gates = LineGates(recorder, recorder.lines, hooks().functions)
            self._gates.install()

    def uninstall(self) -> None:
        """Takes the hooks out again."""
        self._remove_gates()
        if self._graphs is not None:
            self._graphs.uninstall()
            self._graphs = None
        if self._sessions is not None:
            hooks().sessions.remove(self._sessions)
            self._sessions = None
        if self._eager_runs is not None:
            self._eager_runs.uninstall()
            self._eager_runs = None
        if self._loop_gradients is not None:
            self._loop_gradients.uninstall()
            self._loop_gradients = None
        if self._refused is not None:
            self._refused.uninstall()
            self._refused = None
        if self._composites is not None:
            self._composites.uninstall()
            self._composites = None
        if self._names is not None:
            self._names.uninstall()
            self._names = None
        if self._differentiated is not None:
            self._differentiated.uninstall()
            self._differentiated = None
        if self._probes is not None:
            hooks().layers.uninstall()
            hooks().eager.uninstall()
            hooks().functions.remove(self._probes)
            self._probes = None

    def _remove_gates(self) -> None:
        if self._gates is not None:
            self._gates.uninstall()
            self._gates = None

    def failure(self, error: BaseException) -> FailedOperation | None:
        """What TensorFlow's own Python code says of an error that none of its operations raised."""
        return failed_in_python(CATALOG, hooks().stacks, error)

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
