"""What a run computes is divided into graphs, in each of which every tensor is the output of a site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.sessions.parts import Parts, type_name
from tensordbg.model import NONE, TensorRef

v1 = tf.compat.v1


@pytest.fixture
def parts() -> Iterator[tuple[Any, Parts]]:
    """A graph with one loop, which is fed, and its parts; the functions from 10, the sites from 100."""
    v1.disable_control_flow_v2()
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [], name="x")
        scale = tf.constant(2.0, name="scale")
        _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.sqrt(y) * scale), [0, x])
        tf.exp(y, name="last")
        operations = [operation for operation in graph.get_operations() if operation.name != "x"]
        found = Parts(operations, (("x", 0),), 10)
        found.number_sites(100)
        yield graph, found
    v1.enable_control_flow_v2()


def test_each_loop_has_a_condition_and_a_body(parts: tuple[Any, Parts]) -> None:
    _, found = parts
    assert [(part.function, part.path) for part in found.all] == [(10, "while/cond"), (11, "while/body"), (12, "")]
    assert [part.runtime_name for part in found.all] == [
        "session_run_12/while/cond",
        "session_run_12/while/body",
        "session_run_12",
    ]
    names = [[operation.name for operation in part.operations] for part in found.all]
    assert "while/Less" in names[0]
    assert {"while/Sqrt", "while/mul", "while/add"} <= set(names[1])
    assert {"scale", "last"} <= set(names[2])


def test_sites_are_numbered_once_and_in_order(parts: tuple[Any, Parts]) -> None:
    _, found = parts
    numbers = [number for part in found.all for number in part.arguments]
    numbers += [found.site_of(operation) for part in found.all for operation in part.operations]
    numbers += [found.loop_site(loop) for loop in found.loops.all]
    assert sorted(numbers) == list(range(100, 100 + found.site_count))
    assert found.root.arguments == [100]
    (loop,) = found.loops.all
    order = [found.site_named("scale"), found.loop_site(loop), found.site_named("last")]
    assert order == sorted(order)
    assert found.site_named("while/Merge") == NONE


def test_a_tensor_is_known_differently_in_each_graph(parts: tuple[Any, Parts]) -> None:
    graph, found = parts
    (loop,) = found.loops.all
    body, condition = found.body(loop), found.condition(loop)

    def reference(name: str, part: Any) -> TensorRef:
        return found.reference(graph.get_tensor_by_name(name), part)

    assert reference("x:0", found.root) == TensorRef(100, 0)
    assert reference("while/Exit_1:0", found.root) == TensorRef(found.loop_site(loop), 1)
    assert reference("while/Switch_1:1", body) == TensorRef(body.arguments[1], 0)
    assert reference("while/Merge:0", condition) == TensorRef(condition.arguments[0], 0)
    assert reference(loop.constants[0].name + ":0", body) == TensorRef(body.arguments[2], 0)
    assert reference("while/Sqrt:0", body) == TensorRef(found.site_named("while/Sqrt"), 0)
    assert reference("while/Sqrt:0", found.root) == TensorRef(NONE, 0)
    assert found.loop_inputs(loop, found.root)[1:] == (TensorRef(100, 0), TensorRef(found.site_named("scale"), 0))


def test_results_of_a_turn_are_the_variables_of_the_next(parts: tuple[Any, Parts]) -> None:
    _, found = parts
    (loop,) = found.loops.all
    body, condition = found.body(loop), found.condition(loop)
    assert found.results(body) == (
        TensorRef(found.site_named("while/add"), 0),
        TensorRef(found.site_named("while/mul"), 0),
        TensorRef(body.arguments[2], 0),
    )
    assert found.results(condition) == (TensorRef(found.site_named("while/Less"), 0),)
    assert found.results(found.root) == ()


def test_a_stack_is_a_list_of_tensors() -> None:
    with tf.Graph().as_default():
        stack = tf.raw_ops.StackV2(max_size=3, elem_type=tf.float32)
        assert (type_name(stack), type_name(tf.constant(1.0))) == ("variant", "float32")
