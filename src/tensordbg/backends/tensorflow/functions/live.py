"""Finds the functions that were made before anybody looked, so that their definitions can be replaced in place.

Nothing is traced again: the Python code of a traced function may do what it likes.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import Any

from tensordbg.backends.tensorflow.internals import atomic_function
from tensordbg.operations.pipeline_names import program_title
from tensordbg.packages import FRAMEWORKS, KERAS, is_among_packages, is_part_of

_TENSORFLOW = FRAMEWORKS - KERAS
_PIPELINE = "Dataset_"
"""How the graphs of functions given to tf.data are named."""


@dataclass(frozen=True)
class LiveFunction:
    """A function of the runtime that Python holds."""

    function: Any
    graph: Any
    """The graph it was made from; None for one that came as a definition only."""

    @property
    def name(self) -> str:
        """Its name in the runtime."""
        return str(self.function.name.decode())

    @property
    def title(self) -> str:
        """The name that the user knows it by."""
        return self.name if self.graph is None else program_title(str(self.graph.name))

    @property
    def superseded(self) -> bool:
        """Whether its graph went on to become another function that takes or puts out less.

        A graph that takes or puts out more was called under a tape since, which lends it to a function of its own:
        calls without a tape run this one still, and what it takes and puts out comes first.
        """
        if self.graph is None:
            return False
        signature = self.function.cached_definition.signature
        given, returned = len(signature.input_arg), len(signature.output_arg)
        return bool(len(self.graph.inputs) < given or len(self.graph.outputs) < returned)

    @property
    def of_keras(self) -> bool:
        """Whether Keras itself wrote it, as what makes batches of arrays: no line of the program's own is in it."""
        return self.graph is not None and all(map(_of_keras, self.graph.get_operations()))

    @property
    def replaceable(self) -> bool:
        """See `is_replaceable`."""
        return is_replaceable(self.function, self.graph)


def _of_keras(operation: Any) -> bool:
    """Whether it is Keras that called TensorFlow to make an operation."""
    files = (frame.filename for frame in reversed(operation.traceback or ()))
    caller = next((file for file in files if not is_part_of(file, _TENSORFLOW)), "")
    return is_among_packages(caller) and is_part_of(caller, KERAS)


def is_replaceable(function: Any, graph: Any) -> bool:
    """Whether another definition of a function would be run: a dataset copied its functions when it was made.

    Not so in a graph of TensorFlow 1, whose sessions make the datasets.
    """
    if graph is None or not graph.name.startswith(_PIPELINE):
        return graph is not None
    return bool(getattr(graph.outer_graph, "_is_function", bool)(function.name))


def live_functions() -> list[LiveFunction]:
    """All functions of the runtime that Python objects stand for, each once."""
    if not atomic_function.RUNTIME_FUNCTION_REFS:
        return []
    found: dict[str, LiveFunction] = {}
    for each in gc.get_objects():
        # The type is compared, as asking an object of the program's for its class may run code of it.
        if type(each) is atomic_function.AtomicFunction:
            known = found.get(each.name)
            graph = each._cached_graph  # noqa: SLF001  `graph` would make one
            if known is None or known.graph is None:
                found[each.name] = LiveFunction(each, graph)
    return list(found.values())
