"""Notes which tensors of a graph make up one value of the program: a ragged tensor's splits, a sparse one's indices.

The tensor that holds the elements bears the note: its name, its health and its shape stand for the whole.
"""

from __future__ import annotations

import sys
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable
from types import FrameType
from typing import Any

from tensordbg.backends.tensorflow.attributes import with_notes
from tensordbg.backends.tensorflow.methods import ReplacedAttributes
from tensordbg.backends.tensorflow.tracing.graph_tensors import is_of_graph, is_ragged, is_sparse
from tensordbg.model import COMPOSITES
from tensordbg.recording.recorder import Recorder

_PARTS: weakref.WeakKeyDictionary[Any, dict[str, dict[int, dict[str, Any]]]] = weakref.WeakKeyDictionary()
"""By graph, operation and output the kind of value and its other tensors; a graph may run in a later recording."""

RAGGED, SPARSE = "ragged", "sparse"


class CompositeHooks(ABC):
    """The hooks for one recording, where a ragged or sparse tensor is put together."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._replaced = ReplacedAttributes()

    def install(self) -> None:
        """Looks on from now on."""
        import tensorflow as tf  # imported by the program already

        self._replaced.replace(tf.RaggedTensor, "__init__", self._watching(RAGGED, _parts_of_ragged))
        self._replaced.replace(tf.SparseTensor, "__init__", self._watching(SPARSE, _parts_of_sparse))

    def uninstall(self) -> None:
        """Takes the hooks out again."""
        self._replaced.restore()

    @abstractmethod
    def note(self, kind: str, parts: tuple[Any, ...], frame: FrameType) -> None:
        """Notes a value that has been put together.

        Args:
            kind: `RAGGED` or `SPARSE`.
            parts: Its tensors, the elements first.
            frame: Where it was put together.
        """

    def _watching(self, kind: str, parts_of: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], Any]:
        def around(plain: Any) -> Any:
            def __init__(value: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
                plain(value, *args, **kwargs)
                if self._recorder.active:
                    with self._recorder.guard(f"noting the parts of a {kind} tensor"):
                        self.note(kind, parts_of(value), sys._getframe(1))  # noqa: SLF001

            return __init__

        return around


class Composites(CompositeHooks):
    """The hooks for what graphs put together."""

    def note(self, kind: str, parts: tuple[Any, ...], frame: FrameType) -> None:  # noqa: ARG002
        """Notes the newest value of these elements: a ragged tensor of several dimensions is made from within."""
        if not all(map(is_of_graph, parts)):
            return
        elements, *others = (_computed(each) for each in parts)
        if any(each.graph is not elements.graph for each in others):
            return
        told = [[each.op.name, each.value_index] for each in others]
        _PARTS.setdefault(elements.graph, {}).setdefault(elements.op.name, {})[elements.value_index] = {kind: told}


def with_composites(attributes: str, graph: Any, operation: str, outputs: int) -> str:
    """The attributes of an operation of a graph, with what its outputs are the elements of, if of anything."""
    known = _PARTS.get(graph, {}).get(operation)
    if known is None:
        return attributes
    return with_notes(attributes, {COMPOSITES: [known.get(slot) for slot in range(outputs)]})


def other_parts(value: Any) -> tuple[Any, ...]:
    """The tensors of a graph that a ragged or sparse tensor has beside its elements; none of any other value."""
    others: tuple[Any, ...] = ()
    if is_ragged(value):
        others = tuple(value.nested_row_splits)
    elif is_sparse(value):
        others = (value.indices, value.dense_shape)
    return tuple(filter(is_of_graph, others))


def _computed(tensor: Any) -> Any:
    """What a tensor only hands on, as results of functions and tensors that wait for a check do; that is recorded."""
    while tensor.op.type == "Identity":
        tensor = tensor.op.inputs[0]
    return tensor


def _parts_of_ragged(ragged: Any) -> tuple[Any, ...]:
    return (ragged.flat_values, *ragged.nested_row_splits)


def _parts_of_sparse(sparse: Any) -> tuple[Any, ...]:
    return (sparse.values, sparse.indices, sparse.dense_shape)
