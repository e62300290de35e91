"""Writes what a program computed eagerly in one step as a graph, to be captured and replayed like any other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tensordbg.backends.tensorflow.functions.graphs import RestoredGraph
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.internals import context, func_graph, op_def_library, op_def_registry, record
from tensordbg.backends.tensorflow.trap.eager.log import LoggedOperation, Made, StepLog, tensors_in
from tensordbg.model import NONE

_SHORT = 8
"""So few whole numbers in a row are a shape, or axes: they go into the graph as a constant."""


@dataclass(frozen=True)
class Target:
    """A tested tensor of an eager step."""

    tensor: Any
    """The tensor; of a variable its handle."""
    role: str
    variable: str
    """Name of the variable, of a gradient the one that it is of."""


@dataclass(frozen=True)
class EagerGraph:
    """A step written as a graph."""

    graph: Any
    targets: tuple[Any, ...]
    """The tensors of the graph that are what was tested, in the order of the targets; None where it has none."""
    arguments: tuple[Any, ...]
    """The tensors from outside that the graph takes as arguments, in their order."""


def eager_graph(log: StepLog, name: str, targets: Sequence[Target]) -> EagerGraph:
    """Writes a step as a FuncGraph.

    Args:
        log: Its operations.
        name: Of the function.
        targets: What was tested, for which the graph is to have tensors.

    Raises:
        Exception: Whatever TensorFlow has to say of an operation that can't be in a graph.
    """
    import tensorflow as tf  # imported by the program already

    arguments = tuple(_arguments(log))
    writer = _Writer(log)

    def write(*given: Any) -> Any:
        writer.write({each._id: tensor for each, tensor in zip(arguments, given, strict=True)})  # noqa: SLF001
        return [tf.identity(each) for each in writer.find(targets) if each is not None]

    signature = [tf.TensorSpec(each.shape, each.dtype, f"input_{i}") for i, each in enumerate(arguments)]
    with record.stop_recording():
        graph = func_graph.func_graph_from_py_func(name, write, (), {}, signature=signature)
    hooks().graphs.restored[graph] = RestoredGraph(name, writer.stacks, {}, writer.gradients)
    return EagerGraph(graph, tuple(writer.found), arguments)


def _arguments(log: StepLog) -> Iterator[Any]:
    """The tensors from outside, each once, without the constants."""
    inputs = itertools.chain.from_iterable(operation.inputs for operation in log.operations)
    taken = (each for value in inputs for each in tensors_in(value))
    seen: set[int] = set()
    for each in itertools.chain(log.batch, (each for each in taken if not _is_constant(each))):
        if each._id not in seen:  # noqa: SLF001
            seen.add(each._id)  # noqa: SLF001
            yield each


def _is_constant(tensor: Any) -> bool:
    """Whether it goes into the graph as it is; what is no number is captured, as a variable's handle is."""
    import tensorflow as tf

    if tensor.dtype in (tf.resource, tf.variant) or tensor.shape.rank == 0:
        return True
    return bool(tensor.dtype == tf.int32 and tensor.shape.rank == 1 and tensor.shape[0] <= _SHORT)


class _Writer:
    """Adds the operations of a step to the graph that is being built."""

    def __init__(self, log: StepLog) -> None:
        self._log = log
        self._made: list[Sequence[Any]] = []
        self._given: Mapping[int, Any] = {}
        self.stacks: dict[str, int] = {}
        """The stack of each operation, by its name."""
        self.gradients: dict[str, str] = {}
        """The operation whose gradient another computes, by that one's name."""
        self.found: list[Any] = []
        """See `EagerGraph.targets`."""

    def write(self, given: Mapping[int, Any]) -> None:
        """Adds all operations; `given` has the arguments by the numbers of the tensors from outside."""
        self._given = given
        for operation in self._log.operations:
            added = tensors_in_graph(self._add(operation))
            self._made.append(added)
            if operation.stack != NONE:
                self.stacks.update((tensor.op.name, operation.stack) for tensor in added)
        for number, forward in self._log.forward_operations().items():
            if self._made[number] and self._made[forward]:
                self.gradients[self._made[number][0].op.name] = self._made[forward][0].op.name

    def find(self, targets: Sequence[Target]) -> list[Any]:
        """The tensors of the graph that are what was tested."""
        self.found = [self._target(target) for target in targets]
        return self.found

    def _target(self, target: Target) -> Any:
        import tensorflow as tf

        if target.tensor.dtype == tf.resource:
            return op_def_library.apply_op("ReadVariableOp", resource=target.tensor, dtype=_dtype_of(target.tensor))
        made = self._log.made.get(target.tensor._id)  # noqa: SLF001
        return None if made is None else self._made[made.operation][made.slot]

    def _add(self, operation: LoggedOperation) -> Any:
        definition = op_def_registry.get(operation.op_type)
        inputs = [self._input(each) for each in operation.inputs]
        if definition is None:
            return _call(operation.op_type, inputs)
        names, values = operation.attributes[::2], operation.attributes[1::2]
        attributes = dict(zip(names, values, strict=True))
        if operation.flat:
            inputs = list(_grouped(definition, inputs, attributes))
            for name in _inferred(definition):
                attributes.pop(name, None)
        keywords = {argument.name: each for argument, each in zip(definition.input_arg, inputs, strict=True)}
        return op_def_library.apply_op(operation.op_type, **keywords, **attributes)

    def _input(self, value: Any) -> Any:
        if isinstance(value, Made):
            return self._made[value.operation][value.slot]
        if isinstance(value, tuple):
            return [self._input(each) for each in value]
        if hasattr(value, "_datatype_enum"):
            return self._given[value._id] if value._id in self._given else _constant(value)  # noqa: SLF001
        return value


def _constant(tensor: Any) -> Any:
    """A tensor from outside that is no argument; a handle stays what it is, and is captured."""
    import tensorflow as tf

    return tensor if tensor.dtype in (tf.resource, tf.variant) else tf.constant(tensor.numpy(), tensor.dtype)


def _call(name: str, inputs: list[Any]) -> Any:
    """A call of a function that the runtime knows."""
    from tensorflow.core.framework import attr_value_pb2

    outputs = [each.type for each in context.context().get_function_def(name).signature.output_arg]
    function = attr_value_pb2.NameAttrList(name=name)
    settings = {"config": "", "config_proto": "", "executor_type": ""}
    return op_def_library.apply_op("StatefulPartitionedCall", args=inputs, Tout=outputs, f=function, **settings)


def _grouped(definition: Any, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Iterator[Any]:
    """Inputs that stand one by one, by the arguments of the operation."""
    left = iter(inputs)
    for argument in definition.input_arg:
        if argument.number_attr:
            yield list(itertools.islice(left, attributes[argument.number_attr]))
        elif argument.type_list_attr:
            yield list(itertools.islice(left, len(attributes[argument.type_list_attr])))
        else:
            yield next(left)


def _inferred(definition: Any) -> set[str]:
    """The attributes that follow from the inputs."""
    arguments = definition.input_arg
    return {name for each in arguments for name in (each.type_attr, each.number_attr, each.type_list_attr) if name}


def _dtype_of(handle: Any) -> int:
    """Of the variable behind a handle."""
    return int(handle._handle_data.shape_and_type[0].dtype)  # noqa: SLF001


def tensors_in_graph(added: Any) -> list[Any]:
    """The outputs of an operation that was added: it is given as a tensor, a structure of tensors, or an operation."""
    if isinstance(added, (list, tuple)):
        return [tensor for part in added for tensor in tensors_in_graph(part)]
    return [added] if hasattr(added, "value_index") else []
