"""Iterators of pipelines are saved in checkpoints as they are without us.

TensorFlow saves no iterator whose functions have a state that it does not save with it. Probes are such operations, and
so are the tables in which a pipeline with origins makes its notes; nothing that is read later needs them. So they are
left aside, and only they: TensorFlow itself is asked about each operation of the program, and where it refuses one, it
does so in its own words.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.internals import function_def_to_graph, iterator_ops, op_def_registry
from tensordbg.backends.tensorflow.own_frames import unseen
from tensordbg.backends.tensorflow.tracing.data_origins_own import all_own, is_own

_POLICY = tf.data.experimental.ExternalStatePolicy

_LOOKED_INTO = frozenset({"If", "While"})
"""Of these TensorFlow looks at the functions alone, whatever it says of the operation."""


@cache
def see_savings() -> None:
    """Lets iterators with operations of ours be saved, from now on, for the life of the process.

    What a dataset was given while we looked on stays in it when a recording has ended.
    """
    plain = iterator_ops.OwnedIterator._serialize_to_tensors  # noqa: SLF001  noted in `internals`

    def serialized(iterator: Any) -> Any:
        dataset = getattr(iterator, "_dataset", None)
        if dataset is None:
            return plain(iterator)
        policy = _policy(dataset, dataset.options().experimental_external_state_policy or _POLICY.FAIL)
        resource = iterator._iterator_resource  # noqa: SLF001  as TensorFlow's own method
        state = tf.raw_ops.SerializeIterator(resource_handle=resource, external_state_policy=policy.value)
        return {"_STATE": state}

    iterator_ops.OwnedIterator._serialize_to_tensors = unseen(serialized)  # noqa: SLF001  likewise


def _policy(dataset: Any, chosen: Any) -> Any:
    """What to do about states that are not saved, where the program has chosen this.

    Raises:
        tf.errors.FailedPreconditionError: If the program's own operations have one, and it is to fail then.
    """
    if chosen == _POLICY.IGNORE:
        return chosen
    with tf.init_scope():
        for operation in _stateful(dataset):
            try:
                _ask(operation)
            except tf.errors.FailedPreconditionError:
                if chosen == _POLICY.FAIL:
                    raise
                return chosen
    return _POLICY.IGNORE


def _stateful(dataset: Any) -> Iterator[Any]:
    """The program's operations in the functions of a pipeline that may have a state, one of each type."""
    seen: set[str] = set()
    for graph in _graphs(dataset):
        for operation in graph.get_operations():
            if op_def_registry.get(operation.type).is_stateful and not is_own(graph, operation.name):
                yield from () if operation.type in seen | _LOOKED_INTO else (operation,)
                seen.add(operation.type)


def _graphs(dataset: Any) -> Iterator[Any]:
    """Those of the functions that a dataset and its inputs were given, and of all that these call."""
    for part in _with_inputs(dataset):
        for wrapper in part._functions():  # noqa: SLF001  noted in `internals`
            yield wrapper.function.graph
            yield from map(_graph_of, wrapper.function.graph._functions.values())  # noqa: SLF001  likewise


def _graph_of(called: Any) -> Any:
    """The graph that a function was built as, of which it is known what is ours; else one made of its definition."""
    built = getattr(called, "graph", None)
    return function_def_to_graph.function_def_to_graph(called.definition) if built is None else built


def _with_inputs(dataset: Any) -> Iterator[Any]:
    """A dataset and all that it is made of, each once."""
    seen: set[int] = set()
    waiting = [dataset]
    while waiting:
        part = waiting.pop()
        if id(part) not in seen:
            seen.add(id(part))
            waiting.extend(part._inputs())  # noqa: SLF001  noted in `internals`
            yield part


def _ask(operation: Any) -> None:
    """Saves an iterator that gives nothing, with an operation of this type in its function.

    Raises:
        tf.errors.FailedPreconditionError: If it has a state.
    """
    with hooks().entries.bypass():
        iterator = iter(tf.data.Dataset.range(0).map(tf.autograph.experimental.do_not_convert(_holding(operation))))
        tf.raw_ops.SerializeIterator(
            resource_handle=iterator._iterator_resource,  # noqa: SLF001  as TensorFlow's own method
            external_state_policy=_POLICY.FAIL.value,
        )


def _holding(operation: Any) -> Any:
    """A function with an operation like another, which nobody calls."""
    definition = tf.compat.v1.GraphDef()
    node = definition.node.add(name="asked", op=operation.type)
    for name, value in operation.node_def.attr.items():
        if not name.startswith("_"):
            node.attr[name].CopyFrom(value)
    for number, tensor in enumerate(operation.inputs):
        given = definition.node.add(name=f"given_{number}", op="Placeholder")
        given.attr["dtype"].type = tensor.dtype.as_datatype_enum
        node.input.append(given.name)

    def holding(number: Any) -> Any:
        all_own()
        tf.graph_util.import_graph_def(definition, name="")
        return number

    return holding
