"""Where Grappler makes one of several operations, the one that made the bad number is named all the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import tensorflow as tf

from tests.backends.tensorflow.checked import Raised, checking, raised

v1 = tf.compat.v1

Built = Callable[[tf.Tensor], tf.Tensor]


def run(build: Built, values: list[float], *allowed: str) -> Raised | None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None], name="x")
        result = tf.reduce_sum(build(x))
        with checking(allow=[{"op": op} for op in allowed]):
            return raised(session.run, result, {x: values})


def big_product(x: tf.Tensor) -> tf.Tensor:
    big = tf.fill([1, 4], 3e38) * 1.0
    return tf.nn.relu(tf.nn.bias_add(tf.matmul(x[:, None], big), [1.0, 2.0, 3.0, 4.0]))


@pytest.mark.parametrize(
    ("build", "values", "guilty", "shown"),
    [
        (lambda x: tf.sqrt(tf.math.log(x)), [0.0, 2.0], "Log", "all 2 finite; min 0, max 2; 1 zero; 0.0 at [0]"),
        (lambda x: tf.sqrt(tf.math.log(x)), [0.5, 2.0], "Sqrt", "all 2 finite; min -0.693147, max 0.693147"),
        (lambda x: x * tf.math.log(tf.constant([0.0, 1.0])), [1.0, 2.0], "Log", "all 2 finite; min 0, max 1; 1 zero"),
        (big_product, [5.0], "MatMul", "all 4 finite; min 3e+38, max 3e+38"),
    ],
)
def test_the_first_of_a_chain_that_is_bad(build: Built, values: list[float], guilty: str, shown: str) -> None:
    said = run(build, values)
    assert said is not None
    assert said.op_type == guilty
    assert shown in said.message


def test_a_bad_feed_into_a_chain_is_named() -> None:
    said = run(lambda x: tf.sqrt(tf.math.log(x)), [float("nan"), 2.0])
    assert said is not None
    assert said.op_type == "Log"
    assert 'argument "x"' in said.message


def test_rules_hold_inside_a_chain() -> None:
    assert run(lambda x: -tf.math.log(x), [0.0, 2.0], "Log") is None
    said = run(lambda x: tf.sqrt(tf.math.log(x)), [0.0, 2.0], "Log")
    assert said is not None
    assert said.op_type == "Sqrt"
