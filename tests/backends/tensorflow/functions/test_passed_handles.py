"""Handles of variables are followed into all that a captured step calls."""

from __future__ import annotations

from typing import Any

import tensorflow as tf
from tensorflow.core.framework import function_pb2

from tensordbg.backends.tensorflow.functions.passed_handles import handles_by_function


def library_of(function: Any) -> Any:
    """The definition of a function, then those of all that its graph knows."""
    library = function_pb2.FunctionDefLibrary()
    library.function.add().CopyFrom(function.function_def)
    library.function.extend(function.graph.as_graph_def().library.function)
    return library


def test_through_calls_branches_and_loops() -> None:
    first, second = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function
    def called(x: tf.Tensor) -> tf.Tensor:
        return x * second

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        total = called(x)
        for _ in tf.range(3):
            total += first
        if total > 0.0:
            second.assign_add(total)
        return total

    concrete = step.get_concrete_function(tf.TensorSpec([]))
    captured = {id(outer): inner for outer, inner in concrete.graph.captures}
    inputs = list(concrete.graph.inputs)
    numbers = {
        next(i for i, each in enumerate(inputs) if each is captured[id(variable.handle)]): variable
        for variable in (first, second)
    }
    library = library_of(concrete)
    found = handles_by_function(library, numbers)

    takers: dict[str, set[int]] = {}
    for definition in library.function:
        arguments = [argument.name for argument in definition.signature.input_arg]
        known = {arguments[number]: variable for number, variable in found.get(definition.signature.name, {}).items()}
        for node in definition.node_def:
            if node.op in ("ReadVariableOp", "AssignAddVariableOp"):
                # Whatever touches a variable is known to touch this one.
                takers.setdefault(node.op, set()).add(id(known[node.input[0]]))
    assert takers == {"ReadVariableOp": {id(first), id(second)}, "AssignAddVariableOp": {id(second)}}


def test_where_nothing_is_known_nothing_is_found() -> None:
    concrete = tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([]))
    assert handles_by_function(library_of(concrete), {}) == {concrete.function_def.signature.name: {}}
