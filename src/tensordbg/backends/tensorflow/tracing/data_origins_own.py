"""Which operations of a pipeline's functions are ours: they carry and note origins, and are not recorded.

What stands in these functions beside them is the program's: its own operations, and the elements that it is given,
which bear the names of its parameters.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.internals import autograph, loop_and_branch_graphs
from tensordbg.backends.tensorflow.tracing.arguments import code_of
from tensordbg.backends.tensorflow.tracing.python_names import note_name
from tensordbg.model import names_origins

_WHOLE: weakref.WeakSet[Any] = weakref.WeakSet()
"""Graphs all of whose operations are ours."""

_PARTS: weakref.WeakKeyDictionary[Any, set[str]] = weakref.WeakKeyDictionary()
"""By graph the names of those operations that are."""


def is_own(graph: Any, operation: str) -> bool:
    """Whether an operation of a graph is ours, and holds no origins that are to be told."""
    if names_origins(operation):
        return False
    if operation in _PARTS.get(graph, ()):
        return True
    while graph not in _WHOLE and isinstance(graph, loop_and_branch_graphs()):
        graph = graph.outer_graph
    return graph in _WHOLE


def all_own() -> None:
    """Says that the graph which is built now is ours as a whole."""
    _WHOLE.add(tf.compat.v1.get_default_graph())


def until_now() -> int:
    """How many operations the graph has which is built now, for `own_since`."""
    return len(tf.compat.v1.get_default_graph().get_operations())


def own_since(first: int, *more: Any) -> None:
    """Says that what was added to the graph after its first operations is ours, and some tensors more."""
    graph = tf.compat.v1.get_default_graph()
    names = {operation.name for operation in graph.get_operations()[first:]} | {tensor.op.name for tensor in more}
    _PARTS.setdefault(graph, set()).update(names)


def named_as_parameters(function: Callable[..., Any], element: Any) -> None:
    """Gives the parts of an element the names of the parameters for which a function of the program is given them."""
    code = code_of(function) if inspect.isroutine(function) else None
    if code is None:
        return
    bound = 1 if getattr(function, "__self__", None) is not None else 0
    given = element if isinstance(element, tuple) else (element,)
    for name, each in zip(code.co_varnames[bound : code.co_argcount], given, strict=False):
        note_name(name, each)


def called_like(paired: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of ours under the name of the program's that it calls, by which TensorFlow names the graph."""
    # By `<lambda>` AutoGraph would look for a lambda in the source of ours.
    paired.__name__ = getattr(function, "__name__", paired.__name__).strip("<>")
    return paired


# What is called by functions that a dataset is given would be converted with them.
for _function in (all_own, until_now, own_since, named_as_parameters):
    autograph.autograph_artifact(_function)
