"""The parts of the backend; one set for the life of the process, for what was instrumented stays so."""

from __future__ import annotations

import sys
from functools import cache

from tensordbg.backends.tensorflow.eager.entries import Entries
from tensordbg.backends.tensorflow.eager.recording import Eager
from tensordbg.backends.tensorflow.functions.graphs import Graphs
from tensordbg.backends.tensorflow.functions.instrument import Functions
from tensordbg.backends.tensorflow.functions.legacy import LegacyFunctions
from tensordbg.backends.tensorflow.keras.layers import KerasLayers
from tensordbg.backends.tensorflow.sessions.functions import SessionFunctions
from tensordbg.backends.tensorflow.sessions.graph import SessionGraphs
from tensordbg.backends.tensorflow.sessions.library import LibraryFunctions
from tensordbg.backends.tensorflow.sessions.watched import Sessions
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.backends.tensorflow.tracing.arguments import Tracings
from tensordbg.backends.tensorflow.variables import Variables
from tensordbg.recording.catalog import CATALOG


class Hooks:
    """Hooks that recording and checking share."""

    def __init__(self) -> None:
        self.entries = Entries()
        self.variables = Variables(CATALOG)
        self.stacks = Stacks(CATALOG)
        self.layers = KerasLayers(CATALOG)
        self.graphs = graphs = Graphs(CATALOG, self.variables, self.stacks, self.layers)
        self.functions = Functions(graphs, Tracings(CATALOG.user_code))
        self.eager = Eager(self.entries, self.functions, self.variables, self.stacks, self.layers)
        legacy = LegacyFunctions(self.stacks)
        self.library = LibraryFunctions(CATALOG, self.functions, legacy)
        session_graphs = SessionGraphs(CATALOG, self.library, self.stacks)
        self.sessions = Sessions(CATALOG, session_graphs, SessionFunctions(self.functions), legacy)


@cache
def hooks() -> Hooks:
    """The set of this process."""
    return Hooks()


def eager_binding() -> str:
    """The library through which Python calls the eager runtime; so named since 2.3."""
    import tensorflow as tf  # imported by the program already

    return f"{tf.sysconfig.get_lib()}/python/_pywrap_tfe.so"


def framework_library() -> str:
    """The library whose symbols our operations use; its name differs between Linux and macOS."""
    import tensorflow as tf  # imported by the program already

    suffix = "libtensorflow_framework.2.dylib" if sys.platform == "darwin" else "libtensorflow_framework.so.2"
    return f"{tf.sysconfig.get_lib()}/{suffix}"
