"""Loops of TensorFlow 1 are found by their structure, nested ones and those of a gradient too."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.sessions.loops import Loops

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    """A graph whose loops are those of TensorFlow 1."""
    with contextlib.ExitStack() as stack:
        v1.disable_control_flow_v2()
        stack.callback(v1.enable_control_flow_v2)
        yield stack.enter_context(tf.Graph().as_default())


def loop(limit: int = 3) -> Any:
    """A loop with a counter, a variable and a constant."""
    scale = tf.constant(2.0, name="scale")
    x = tf.constant(1.0, name="x")
    return tf.while_loop(lambda i, y: i < limit, lambda i, y: (i + 1, tf.sqrt(y) * scale), [0, x])


def test_a_loop_has_its_variables_constants_and_condition(graph: Any) -> None:
    loop()
    operations = graph.get_operations()
    loops = Loops(operations)
    (found,) = loops.all
    assert (found.name, found.outer) == ("while", None)
    assert [enter.inputs[0].op.name for enter in found.enters] == ["while/Const", "x"]
    assert [enter.inputs[0].op.name for enter in found.constants] == ["scale"]
    assert found.merges == {"while/Merge": 0, "while/Merge_1": 1}
    assert {position: operation.inputs[0].op.name for position, operation in found.nexts.items()} == {
        0: "while/add",
        1: "while/mul",
    }
    assert found.condition.name == "while/LoopCond"
    assert found.asked == {"while/Less", "while/Less/y"}


def test_machinery_is_told_from_what_computes(graph: Any) -> None:
    loop()
    operations = graph.get_operations()
    loops = Loops(operations)
    computing = [operation.name for operation in operations if not loops.is_machinery(operation)]
    inside = [name for name in computing if name.startswith("while/")]
    assert set(inside) >= {"while/Less", "while/Sqrt", "while/mul", "while/add", "while/Identity"}
    assert not [name for name in inside if "Merge" in name or "Switch" in name or "Exit" in name or "Enter" in name]
    assert loops.of(graph.get_operation_by_name("while/Sqrt")) is loops.all[0]
    assert loops.of(graph.get_operation_by_name("x")) is None
    assert loops.exited(graph.get_operation_by_name("while/Exit_1")) == (loops.all[0], 1)
    assert loops.exited(graph.get_operation_by_name("x")) is None


def test_the_switches_of_a_condition_are_no_machinery(graph: Any) -> None:
    y = tf.constant(1.0)
    tf.cond(y > 0.0, lambda: tf.sqrt(y), lambda: y * 2.0)
    operations = graph.get_operations()
    loops = Loops(operations)
    assert loops.all == []
    assert not any(loops.is_machinery(operation) for operation in operations)


def test_a_loop_in_a_loop(graph: Any) -> None:
    def outer(i: tf.Tensor, y: tf.Tensor) -> Any:
        return i + 1, tf.while_loop(lambda j, z: j < 2, lambda j, z: (j + 1, z * 2.0), [0, y])[1]

    tf.while_loop(lambda i, y: i < 3, outer, [0, tf.constant(1.0)])
    first, second = Loops(graph.get_operations()).all
    assert [(first.name, first.outer), (second.name, second.outer)] == [("while", None), ("while/while", first)]


def test_what_a_loop_keeps_for_its_gradient_is_found(graph: Any) -> None:
    _, y = loop()
    v1.gradients(y, graph.get_tensor_by_name("x:0"))
    loops = Loops(graph.get_operations())
    forward, backward = loops.all
    assert (forward.name, backward.name) == ("while", "gradients/while")
    stacks = [operation for operation in graph.get_operations() if operation.type == "StackV2"]
    assert stacks
    kept = [loops.kept_by(stack) for stack in stacks]
    assert all(found is not None and found[0] is forward for found in kept)
    assert loops.kept_by(graph.get_operation_by_name("x")) is None


def test_a_loop_is_found_without_what_is_fed_to_it(graph: Any) -> None:
    loop()
    operations = [operation for operation in graph.get_operations() if operation.name != "x"]
    (found,) = Loops(operations).all
    assert found.merges == {"while/Merge": 0, "while/Merge_1": 1}


def test_an_imported_loop_is_found(graph: Any) -> None:
    loop()
    with tf.Graph().as_default() as other:
        v1.import_graph_def(graph.as_graph_def(), name="again")
        (found,) = Loops(other.get_operations()).all
    assert found.merges == {"again/while/Merge": 0, "again/while/Merge_1": 1}
