"""What only waits for an operation waits for its check too."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.check.sessions.waits import waits
from tensordbg.backends.tensorflow.sessions.graph import RunKey, upstream
from tensordbg.backends.tensorflow.sessions.parts import Parts
from tests.backends.tensorflow.checked import checking, raised

v1 = tf.compat.v1


def waits_of(graph: tf.Graph, target: str) -> dict[str, set[str]]:
    operations = upstream(graph, RunKey((), (), (target,)))
    checked = {each.name for each in operations if each.type in {"Exp", "Mul", "MatMul", "Log"}}
    return waits(operations, Parts(operations, (), 0), checked)


def test_a_result_waits_for_what_it_was_to_come_after() -> None:
    with tf.Graph().as_default() as graph:
        other = tf.exp(2.0, name="other")
        with tf.control_dependencies([tf.group(tf.exp(1.0, name="before"))]):
            tf.identity(other, name="y")
        assert waits_of(graph, "y") == {"group_deps": {"before"}, "y": {"before"}}


def test_an_update_waits_by_what_it_takes() -> None:
    with tf.Graph().as_default() as graph:
        v = v1.get_variable("v", [], use_resource=True)
        given = tf.exp(2.0, name="given")
        with tf.control_dependencies([tf.exp(1.0, name="before")]):
            name = v.assign(given, read_value=False).name
        assert waits_of(graph, name)["given"] == {"before"}


def test_nothing_waits_for_what_needs_it() -> None:
    with tf.Graph().as_default() as graph:
        v = v1.get_variable("v", [], use_resource=True)
        given = tf.exp(2.0, name="given")
        with tf.control_dependencies([tf.exp(given, name="before")]):
            name = v.assign(given, read_value=False).name
        assert "given" not in waits_of(graph, name)


def test_nothing_waits_for_a_branch_that_may_not_be_taken() -> None:
    v1.disable_control_flow_v2()
    try:
        with tf.Graph().as_default() as graph:
            v = v1.get_variable("v", [], use_resource=True)
            given = tf.exp(2.0, name="given")

            def branch() -> tf.Tensor:
                with tf.control_dependencies([tf.exp(3.0, name="inside")]):
                    return v.assign_add(given)

            result = tf.cond(v1.placeholder(tf.bool, [], name="p"), branch, lambda: given)
            found = waits_of(graph, result.op.name)
            assert any("cond/inside" in others for others in found.values())
            assert "given" not in found
    finally:
        v1.enable_control_flow_v2()


def test_an_update_waits_for_what_is_read_of_its_variable_by_reference() -> None:
    with tf.Graph().as_default() as graph:
        v = v1.get_variable("v", [], use_resource=False)
        read, given = tf.multiply(v._variable, 2.0, name="read"), tf.exp(2.0, name="given")
        after = v.assign_add(given)
        late = tf.multiply(v._variable, 3.0, name="late")
        assert waits_of(graph, tf.group(read, after, late).name)["given"] == {"read"}


@pytest.mark.parametrize("resources", [True, False])
def test_no_update_is_done_beside_a_bad_gradient(resources: bool) -> None:
    # TensorFlow lets neither gradient of a product out before both are computed: that of the weight is good here.
    with tf.Graph().as_default(), v1.variable_scope("", use_resource=resources), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 3], name="x")
        first = v1.get_variable("first", [3, 3])
        second = v1.get_variable("second", [3, 1], initializer=v1.constant_initializer(1e30))
        product = tf.matmul(tf.matmul(x, first) * 1e-30, second)
        train = v1.train.GradientDescentOptimizer(1e20).minimize(tf.reduce_sum(product * 1e10))
        session.run(v1.global_variables_initializer())
        before = session.run([first, second])
        with checking():
            for _ in range(20):
                said = raised(session.run, train, {x: np.ones([2, 3])})
                assert said is not None
                assert said.op_type == "MatMul"
                assert all(map(np.array_equal, session.run([first, second]), before))


def test_a_check_that_never_comes_holds_nothing_up_for_ever() -> None:
    # The operation that is waited for fails by itself, so there is nothing to check.
    with tf.Graph().as_default(), v1.Session() as session, checking():
        v = v1.get_variable("v", [], use_resource=True, initializer=v1.zeros_initializer())
        queue = v1.FIFOQueue(2, [tf.float32], shapes=[[]])
        given = tf.exp(v1.placeholder_with_default(1.0, []))
        with tf.control_dependencies([queue.dequeue()]):
            update = v.assign(given, read_value=False)
        session.run([v.initializer, queue.close()])
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(update)
        assert session.run(v) == 0.0
