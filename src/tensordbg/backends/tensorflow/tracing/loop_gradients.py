"""Notes which state of a loop each state of its gradient's loop is the gradient of: `gradient of n`.

TensorFlow differentiates a loop by a loop that runs through its iterations backwards. What that hands on from iteration
to iteration is the gradient of the loss by each state that the loop hands on; what a list was given, or gave, has one
in each iteration.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.internals import while_v2
from tensordbg.backends.tensorflow.methods import ReplacedAttributes
from tensordbg.backends.tensorflow.tracing.graph_tensors import is_of_graph
from tensordbg.backends.tensorflow.tracing.handed_on import LISTS
from tensordbg.backends.tensorflow.tracing.python_names import names_noted, note_name, note_state
from tensordbg.backends.tensorflow.variables import READERS
from tensordbg.gradient_names import differentiated_name
from tensordbg.recording.recorder import Recorder

_BEFORE = 3
"""A gradient's loop hands on a counter and two bounds before the gradients."""

_TAKEN = {"TensorListGetItem": "TensorListSetItem", "TensorListPopBack": "TensorListPushBack"}
"""By what takes an element out of a list what puts its gradient into one."""

_PUT = {put: took for took, put in _TAKEN.items()}


class LoopGradients:
    """The hooks for one recording."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._replaced = ReplacedAttributes()
        self._known: weakref.WeakKeyDictionary[Any, Mapping[str, list[str]]] = weakref.WeakKeyDictionary()
        """By the graph of a gradient's body the names of its arguments, by their operations."""

    def install(self) -> None:
        """Looks on from now on."""
        self._replaced.replace(while_v2, "_create_grad_func", self._watching_gradient)
        self._replaced.replace(while_v2, "_build_while_op", self._watching_loop)

    def uninstall(self) -> None:
        """Takes the hooks out again."""
        self._replaced.restore()

    def _watching_gradient(self, plain: Any) -> Any:
        def create_grad_func(ys: Any, xs: Any, grads: Any, cond_graph: Any, body_graph: Any, *more: Any) -> Any:
            made = plain(ys, xs, grads, cond_graph, body_graph, *more)
            if self._recorder.active:
                with self._recorder.guard("noting the names of a loop's gradients"):
                    self._learn(made[0], xs, body_graph)
            return made

        return create_grad_func

    def _watching_loop(self, plain: Any) -> Any:
        def build_while_op(loop_vars: Any, cond_graph: Any, body_graph: Any, *args: Any, **kwargs: Any) -> Any:
            known = self._known.get(body_graph, {}) if self._recorder.active else {}
            if known:
                with self._recorder.guard("noting the names of a loop's gradients"):
                    for condition, body in zip(cond_graph.inputs, body_graph.inputs, strict=False):
                        for name in known.get(body.op.name, ()):
                            note_state(name, condition)
                            note_name(name, body)
            return plain(loop_vars, cond_graph, body_graph, *args, **kwargs)

        return build_while_op

    def _learn(self, gradient: Any, states: Any, forward: Any) -> None:
        """Notes the names of the gradients in the body of a gradient's loop."""
        outside = {id(inner): outer for outer, inner in forward.captures}
        self._known[gradient] = {
            # A value from outside may have been the first of a state, too.
            argument.op.name: [
                _gradient(name)
                for name in names_noted(state)
                or names_noted(outside.get(id(state)))[:1]
                or _of_variable(state, outside.get(id(state)), forward)
            ]
            for argument, state in zip(gradient.inputs[_BEFORE:], states, strict=False)
        }
        by_name = {operation.name: operation for operation in forward.get_operations()}
        for operation in gradient.get_operations():
            for name, tensor in _of_lists(operation, by_name.get(differentiated_name(operation.name))):
                note_name(_gradient(name), tensor)


def _of_variable(state: Any, outer: Any, forward: Any) -> list[str]:
    """The names of the variable whose handle a loop is given: as the loop's text has it, and its own."""
    if getattr(state, "dtype", None) != tf.resource:
        return []
    readers = [each for each in state.consumers() if each.type in READERS]
    of_text = next(filter(None, (names_noted(each.outputs[0]) for each in readers)), [])
    handle = _outermost(outer)
    held = (each for each in forward.variables if handle is not None and each.handle is handle)
    return list(dict.fromkeys([*of_text[:1], *(str(each.name).removesuffix(":0") for each in held)]))


def _outermost(tensor: Any) -> Any:
    """What a tensor is outside of all the functions that it was handed into."""
    while is_of_graph(tensor):
        captures = getattr(tensor.graph, "captures", ())
        tensor = next((outer for outer, inner in captures if inner is tensor), None)
    return tensor


def _of_lists(operation: Any, forward: Any) -> Iterator[tuple[str, Any]]:
    """What an operation of a gradient puts into a list, or takes out, with the name of what that is the gradient of."""
    if forward is None:
        return
    if operation.type in _PUT and forward.type == _PUT[operation.type]:
        element = operation.inputs[LISTS[operation.type]]
        yield from ((name, element) for name in names_noted(forward.outputs[-1]))
    elif operation.type in _TAKEN and forward.type == _TAKEN[operation.type]:
        element = forward.inputs[LISTS[forward.type]]
        yield from ((name, operation.outputs[-1]) for name in names_noted(element) or names_noted(forward.outputs[-1]))


def _gradient(name: str) -> str:
    return f"gradient of {name}"
