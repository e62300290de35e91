"""The backend for TensorFlow: sets and takes out the hooks."""

from __future__ import annotations

import contextlib
import sys
from importlib.metadata import PackageNotFoundError, version

from tensordbg import _native
from tensordbg.backends.tensorflow.eager import Eager
from tensordbg.backends.tensorflow.functions import Functions
from tensordbg.backends.tensorflow.graphs import Graphs
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.backends.tensorflow.tracing import Tracings
from tensordbg.backends.tensorflow.variables import Variables
from tensordbg.recording.catalog import CATALOG
from tensordbg.recording.recorder import Recorder


class _Hooks:
    """The parts of the backend; one set for the life of the process, for what was instrumented stays so."""

    def __init__(self) -> None:
        self.variables = Variables(CATALOG)
        self.stacks = Stacks(CATALOG)
        self.functions = Functions(Graphs(CATALOG, self.variables, self.stacks), Tracings(CATALOG.user_code))
        self.eager = Eager(self.functions, self.variables, self.stacks)


_hooks: _Hooks | None = None


class TensorFlowBackend:
    """Records TensorFlow 2.16 and later."""

    name = "tensorflow"

    def install(self, recorder: Recorder) -> None:
        """Sets the hooks; the probe operation is registered once in a process.

        Raises:
            RuntimeError: If this TensorFlow lacks a function of its C API that the probe needs.
        """
        global _hooks  # noqa: PLW0603  one set for the process
        import tensorflow as tf  # imported by the program already

        _native.register_tensorflow_probe(_framework_library(tf.sysconfig.get_lib()))
        if _hooks is None:
            _hooks = _Hooks()
        _hooks.functions.install(recorder)
        _hooks.eager.install(recorder)

    def uninstall(self) -> None:
        """Takes the hooks out again."""
        if _hooks is not None:
            _hooks.eager.uninstall()
            _hooks.functions.uninstall()

    def versions(self) -> dict[str, str]:
        """Versions of TensorFlow and, where it is installed, Keras."""
        import tensorflow as tf  # imported by the program already

        found = {"tensorflow": str(tf.__version__)}
        with contextlib.suppress(PackageNotFoundError):
            found["keras"] = version("keras")
        return found


def _framework_library(folder: str) -> str:
    """The library whose symbols the probe uses; its name differs between Linux and macOS."""
    suffix = "libtensorflow_framework.2.dylib" if sys.platform == "darwin" else "libtensorflow_framework.so.2"
    return f"{folder}/{suffix}"
