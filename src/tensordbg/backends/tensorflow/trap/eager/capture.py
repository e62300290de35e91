"""Makes of a bad eager step what a capture is made from: a function with what was tested and what it takes."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.internals import atomic_function, resource_variable_ops
from tensordbg.backends.tensorflow.trap.eager.graph import EagerGraph, Target, eager_graph
from tensordbg.backends.tensorflow.trap.eager.log import StepLog, tensors_in
from tensordbg.backends.tensorflow.trap.targets import NotedTargets
from tensordbg.capture.tensors import Array
from tensordbg.health.measured import Measured
from tensordbg.trapping.capture import TABLE, BadStep, Saved, TrappedFunction, trouble_of

Read = Callable[[Any], Any]
"""Gives what a variable is, by its handle; None where it can't be read."""


@dataclass
class EagerStep:
    """A step that is under way, from where its tape was entered."""

    name: str
    """Of the Python function that entered the tape."""
    number: int
    block: bool
    """Whether the program itself says where the step begins and ends."""
    log: StepLog
    loss: Any = None
    """The loss before it was scaled, where it was."""
    scale: Any = None
    tested: bool = False
    """Whether gradients were tested, and were good."""
    left_out: bool = False
    """Whether it is bad, and what it would write is left out."""
    spoilt: set[int] = field(default_factory=set)
    """Numbers of the tensors that come from what was bad."""


_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Written:
    """A bad eager step as a function."""

    function: Any
    """To be held until the capture is made."""
    trapped: TrappedFunction
    bad: BadStep


def write_step(
    step: EagerStep, targets: Sequence[Target], notes: NotedTargets, made: Sequence[TrappedFunction], read: Read
) -> Written:
    """Writes it as a function, which gets its trap as any other.

    Args:
        step: The step.
        targets: What was tested of it.
        notes: Where what is to be tested is noted.
        made: The functions that have a trap, to which this one is added meanwhile.
        read: Reads a variable.
    """
    _learn_names(step.log)
    graph = eager_graph(step.log, step.name, targets)
    places = {}
    for target, tensor in zip(targets, graph.targets, strict=True):
        if tensor is not None:
            notes.note(graph.graph, tensor, target.role, target.variable)
            places[tensor.op.name, tensor.value_index] = target
    count = len(made)
    function = atomic_function.from_func_graph(f"__inference_eager_{step.name}_{next(_NUMBERS)}", graph.graph, {})
    if len(made) == count:
        raise RuntimeError("nothing that was tested is among the step's operations")
    trapped = made[-1]
    tested = [_read_if_handle(places[each.operation, each.slot].tensor, read) for each in trapped.tested]
    measured = [Measured(_elements(each)) for each in tested]
    bad = [position for position, each in enumerate(tested) if not _finite(each)]
    given = _values_passed(graph)
    variables = {
        number: array
        for number, tensor in given.items()
        if tensor.dtype.as_datatype_enum == dtypes.RESOURCE and (array := _before(step.log, tensor, read)) is not None
    }
    saved = tuple(_saved(each, given, variables) for each in trapped.saved)
    return Written(
        function, trapped, BadStep(step.number, trouble_of(trapped.tested, bad, measured), saved, {}, variables)
    )


def _learn_names(log: StepLog) -> None:
    """Learns the names of the variables that the step takes, of which it knows the handles alone."""
    handles = {each._id for operation in log.operations for each in tensors_in(operation.inputs)}  # noqa: SLF001
    hooks().variables.learn(each for each in live_variables() if each.handle._id in handles)  # noqa: SLF001


def live_variables() -> list[Any]:
    """All variables that Python holds."""
    kind = resource_variable_ops.BaseResourceVariable
    # The type is asked, as asking an object of the program's for its class may run code of it.
    found = [each for each in gc.get_objects() if issubclass(type(each), kind)]
    return [each for each in found if hasattr(getattr(each, "_handle", None), "_id")]


def _elements(tensor: Any) -> Array:
    """The elements of a tensor; texts, of which one alone is no array, as objects."""
    array = tensor.numpy()
    return np.asarray(array, dtype=object) if tensor.dtype.as_datatype_enum == dtypes.STRING else array


def _values_passed(graph: EagerGraph) -> Mapping[int, Any]:
    """What the function is given, by the number of the argument."""
    captured = {id(inner): outer for outer, inner in graph.graph.captures}
    count = len(graph.arguments)
    return {
        number: graph.arguments[number] if number < count else captured[id(tensor)]
        for number, tensor in enumerate(graph.graph.inputs)
    }


def _before(log: StepLog, handle: Any, read: Read) -> Array | None:
    """A variable as it was before the step."""
    old = log.old.get(handle._id)  # noqa: SLF001
    value = read(handle) if old is None else old.value
    return None if value is None else value.numpy()


def _saved(saved: Saved, given: Mapping[int, Any], variables: Mapping[int, Array]) -> Array | None:
    if saved.kind == "variable":
        return variables.get(saved.argument)
    if saved.kind in TABLE:
        return None  # what it holds now is read
    array: Array = given[saved.argument].numpy().copy()
    return array


def _read_if_handle(tensor: Any, read: Read) -> Any:
    return read(tensor) if tensor.dtype.as_datatype_enum == dtypes.RESOURCE else tensor


def _finite(tensor: Any) -> bool:
    import tensorflow as tf  # imported by the program already

    return bool(tf.reduce_all(tf.math.is_finite(tensor)))
