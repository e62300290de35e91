"""Computes what the runtime did not: tensors between operations that Grappler has made one, or folded into a constant.

A check sees what comes out of such a chain. Which of its operations made the bad number is found out afterwards, from
what went into the chain, with TensorFlow's own kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tensordbg.backends.tensorflow.check.sessions.nodes import RunNode, Source
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.internals import context, op_def_registry
from tensordbg.backends.tensorflow.raw_tensors import RawTensor, measured_of
from tensordbg.health.measured import Measured

_MOST_COMPUTED = 30
"""Longer chains are not fused."""


class Unseen:
    """The tensors of one step and iteration of a loop: those held, and what can be computed from them."""

    def __init__(self, nodes: list[RunNode], held: Callable[[int, int], RawTensor | None]) -> None:
        self._nodes = nodes
        self._held = held
        self._found: dict[Source, Measured | None] = {}
        self.computed: list[int] = []
        """Places of the nodes whose outputs were computed, each after those that it takes."""

    def measured(self, source: Source | None) -> Measured | None:
        """A tensor, None where it can't be told."""
        if source is None:
            return None
        if source not in self._found:
            held = self._held(*source)
            if held is not None:
                self._found[source] = measured_of(held)
            else:
                self._compute(source[0])
        return self._found.get(source)

    def inputs(self, place: int) -> list[Measured | None]:
        """The tensors that a node takes."""
        return [self.measured(source) for source in self._nodes[place].inputs]

    def _compute(self, place: int) -> None:
        node = self._nodes[place]
        slots = range(len(list(fd.outputs(node.definition)))) if node.definition is not None else ()
        self._found.update(((place, slot), None) for slot in slots if (place, slot) not in self._found)
        if node.definition is None or not _is_pure(node) or len(self.computed) >= _MOST_COMPUTED:
            return
        inputs = self.inputs(place)
        if all(given is not None for given in inputs):
            outputs = _outputs(node.definition, [given.array for given in inputs if given is not None])
            self._found.update(((place, slot), Measured(array)) for slot, array in enumerate(outputs))
            self.computed.append(place)


def _is_pure(node: RunNode) -> bool:
    definition = op_def_registry.get(node.op_type)
    return definition is not None and not definition.is_stateful and not fd.called_functions(node.definition)


def _outputs(definition: Any, arrays: list[Any]) -> list[Any]:
    """What an operation puts out."""
    import tensorflow as tf  # imported by the program already

    if definition.op == "Const":
        return [tf.make_ndarray(definition.attr["value"].tensor)]
    if definition.op == "Identity":
        return arrays
    known = op_def_registry.get(definition.op)
    context.context().ensure_initialized()
    given = list(_arguments(known, definition, arrays))
    result = hooks().entries.fast_path(context.context(), definition.op, None, *given, *_attributes(known, definition))
    outputs = result if isinstance(result, (list, tuple)) else [result]
    return [tensor.numpy() for tensor in tf.nest.flatten(outputs)]


def _arguments(known: Any, definition: Any, arrays: list[Any]) -> Iterator[Any]:
    waiting = iter(arrays)
    for argument in known.input_arg:
        if argument.type_list_attr:
            yield [next(waiting) for _ in definition.attr[argument.type_list_attr].list.type]
        elif argument.number_attr:
            yield [next(waiting) for _ in range(definition.attr[argument.number_attr].i)]
        else:
            yield next(waiting)


def _attributes(known: Any, definition: Any) -> Iterator[Any]:
    """Names and values of the attributes that don't follow from the inputs."""
    follow = {name for each in known.input_arg for name in (each.type_attr, each.number_attr, each.type_list_attr)}
    for attribute in known.attr:
        if attribute.name not in follow and attribute.name in definition.attr:
            yield attribute.name
            yield _value(definition.attr[attribute.name])


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "list":
        return next((list(each) for _, each in value.list.ListFields()), [])
    if kind == "shape":
        return None if value.shape.unknown_rank else [dim.size for dim in value.shape.dim]
    return getattr(value, kind)
