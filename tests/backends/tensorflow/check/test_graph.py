"""What is said of a failed check inside a function: names, inputs, where the operation was made."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
import tensorflow as tf

from tests.backends.tensorflow.checked import Raised, checking, raised


@pytest.fixture(autouse=True)
def _checked() -> Iterator[None]:
    with checking():
        yield


def said_of(program: tf.types.experimental.PolymorphicFunction, *args: object) -> Raised:
    said = raised(program, *args)
    assert said is not None
    return said


def test_what_tensorflows_own_test_of_a_function_wants() -> None:
    @tf.function
    def divide_sum_with_diff(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        w1 = x + y
        w2 = x - y
        u = w1 / w2
        return u * 2.0

    message = said_of(divide_sum_with_diff, tf.constant(2.0, tf.float64), tf.constant(2.0, tf.float64)).message
    assert re.search(r"graph op.*\"RealDiv\"", message)
    assert re.search(r"dtype.*float64", message)
    assert "shape: ()\n" in message
    assert "Input tensors (2):" in message
    assert re.search(r"0:.*Tensor.*add:0", message)
    assert re.search(r"1:.*Tensor.*sub:0", message)
    assert re.search(r"Stack trace of op's creation", message)
    assert "divide_sum_with_diff" in message


def test_what_tensorflows_own_test_of_a_branch_wants() -> None:
    @tf.function
    def my_conditional(x: tf.Tensor) -> tf.Tensor:
        if tf.less(tf.reduce_sum(x), 0.0):
            return tf.math.log(x)
        return tf.math.log(-x)

    message = said_of(my_conditional, tf.constant([1.0, 2.0, 3.0], tf.bfloat16)).message
    assert re.search(r"graph op.*\"Log\"", message)
    assert re.search(r"dtype.*bfloat16", message)
    assert "shape: (3,)\n" in message
    assert re.search(r"Input tensor.*Tensor.*Neg", message)
    assert "my_conditional" in message


def test_what_tensorflows_own_test_of_a_constant_wants() -> None:
    variable = tf.Variable(3.0)

    @tf.function
    def add_a_bad_constant(x: tf.Tensor) -> tf.Tensor:
        return x + tf.constant(np.nan)

    message = said_of(add_a_bad_constant, variable).message
    assert re.search(r"graph op.*\"Const\"", message)
    assert re.search(r"dtype:.*float32", message)
    assert re.search(r"shape:.*\(\)", message)
    assert re.search(r"Graph name:.*add_a_bad_constant", message)


def test_what_tensorflows_own_test_of_a_pipeline_wants() -> None:
    def generate_nan(x: tf.Tensor) -> tf.Tensor:
        return tf.math.log([[-1.0, 1.0], [3.0, 5.0]]) + tf.cast(x, tf.float32)

    data = tf.data.Dataset.range(10).map(generate_nan)
    message = said_of(lambda: next(iter(data))).message
    assert re.search(r"graph op.*\"Log\"", message)
    assert "shape: (2, 2)\n" in message
    assert re.search(r"Input tensor.*Tensor.*Log/x:0", message)
    assert "generate_nan" in message


def test_what_tensorflows_own_test_of_a_custom_gradient_wants() -> None:
    @tf.custom_gradient
    def func_with_bad_grad(x: tf.Tensor) -> tuple[tf.Tensor, object]:
        @tf.function
        def grad(dy: tf.Tensor) -> tf.Tensor:
            return tf.math.log(-dy)

        return tf.sin(x), grad

    x = tf.constant(-2.0, tf.float16)

    def program() -> None:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = func_with_bad_grad(x)
        tape.gradient(y, x)

    message = said_of(program).message
    assert re.search(r"graph op.*\"Log\"", message)
    assert re.search(r"dtype.*float16", message)


def test_more_than_tensorflow_says() -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        return tf.math.log(x - 1.0)

    said = said_of(program, tf.constant([[2.0, 3.0], [1.0, 0.5]]))
    assert "# of -Inf elements: 1\n  # of +NaN elements: 1\n" in said.message
    assert "First bad element: [1, 0], in row 1 of 2" in said.message
    assert 'Tensor("sub:0", shape=(2, 2), dtype=float32)' in said.message
    assert "all 4 finite; min -0.5, max 2; 1 zero; 0.0 at [1, 0]" in said.message
    assert " -> |   return tf.math.log(x - 1.0)" in said.message
    assert "{{" not in said.message
    assert "tdbg" not in said.message


def test_a_bad_argument_is_called_one() -> None:
    @tf.function
    def program(batch: tf.Tensor) -> tf.Tensor:
        return batch * 2.0

    said = said_of(program, np.array([[1.0], [np.nan], [3.0]], np.float32))
    assert 'Tensor("batch:0", shape=(3, 1), dtype=float32), argument "batch"' in said.message
    assert "1 NaN of 3; the first at [1, 0], in row 1" in said.message
