"""Notes of which tensor a constant is the shape: `tf.shape` computes nothing of a shape that is known while it traces.

Of an assertion that such a shape fails, nothing else leads to the tensor, and to the operation that gave it the shape.
"""

from __future__ import annotations

import weakref
from typing import Any

from tensordbg.backends.tensorflow.attributes import with_notes
from tensordbg.backends.tensorflow.internals import gradients_util
from tensordbg.backends.tensorflow.methods import ReplacedAttributes
from tensordbg.backends.tensorflow.own_frames import unseen
from tensordbg.backends.tensorflow.tracing.graph_tensors import is_of_graph
from tensordbg.model import SHAPE_OF
from tensordbg.recording.recorder import Recorder

_NOTED: weakref.WeakKeyDictionary[Any, dict[str, str]] = weakref.WeakKeyDictionary()
"""By graph and constant the tensor; a graph that was traced in one recording may run in a later one."""


class StaticShapes:
    """The hook into `tf.shape`, for one recording."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._replaced = ReplacedAttributes()

    def install(self) -> None:
        """Notes it from now on."""
        self._replaced.replace(gradients_util.array_ops, "shape_internal", self._noting)

    def uninstall(self) -> None:
        """Takes the hook out again."""
        self._replaced.restore()

    def _noting(self, plain: Any) -> Any:
        def shape_internal(input: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: A002  as TensorFlow's own
            shape = plain(input, *args, **kwargs)
            if self._recorder.active and is_of_graph(shape) and is_of_graph(input):
                with self._recorder.guard("noting of what a shape is"):
                    operation = shape.op
                    if operation.type == "Const" and input.graph is operation.graph:
                        _NOTED.setdefault(operation.graph, {})[operation.name] = str(input.name)
            return shape

        return unseen(shape_internal)


def shown_by(operation: Any) -> Any | None:
    """The tensor whose shape a constant of a graph is; None of all else."""
    name = _NOTED.get(operation.graph, {}).get(operation.name)
    return None if name is None else operation.graph.get_tensor_by_name(name)


def with_shape_of(attributes: str, graph: Any, name: str) -> str:
    """Adds to the attributes of an operation of a graph the name of the tensor of the graph whose shape it is."""
    return with_notes(attributes, {SHAPE_OF: _NOTED.get(graph, {}).get(name)})
