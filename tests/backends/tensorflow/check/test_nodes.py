"""The operation that made the first bad number is blamed, in every run and in every kind of function."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.functions import waiting
from tensordbg.tensorflow import disable_check_numerics, enable_check_numerics
from tests.backends.tensorflow.checked import blamed, checking, raised

LARGE = np.r_[-1.0, np.ones(100_000)].astype(np.float32)
"""Large enough that checks take their time."""


@pytest.fixture(autouse=True, params=["checked first", "checked beside"])
def _checked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(waiting, "FEW_PROCESSORS", 10**6 if request.param == "checked first" else 0)
    with checking():
        yield


def test_the_first_of_a_chain() -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        y = tf.math.log(x)
        for _ in range(20):
            y = y * 1.5 + y
        return tf.reduce_sum(tf.exp(y) - y)

    assert blamed(program, tf.constant(LARGE), times=100) == {("Log", "Log", None)}


def test_an_infinity_before_the_nan_made_of_it() -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        y = 1.0 / x
        return y - y

    assert blamed(program, tf.constant(np.zeros(100_000, np.float32)), times=50) == {("RealDiv", "truediv", None)}


def test_turn_seven_of_a_loop() -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        for turn in tf.range(20):
            x = tf.sin(x + tf.math.log(7.0 - tf.cast(turn, tf.float32))) * 2.0
        return x

    assert blamed(program, tf.ones(100_000), times=30) == {("Log", "while/Log", 7)}


def test_a_variable_that_overflows_in_a_loop() -> None:
    """The program of TensorFlow's own test: 127 products are finite."""
    accumulated, counter = tf.Variable(1.0), tf.Variable(0)

    @tf.function
    def program() -> int:
        while tf.less(counter, 1000):
            accumulated.assign(accumulated * 2.0)
            counter.assign_add(1)
        return 1

    found = set()
    for _ in range(10):
        accumulated.assign(1.0)
        counter.assign(0)
        found |= blamed(program, times=1)
        assert accumulated.numpy() == np.float32(2.0) ** 127
    assert found == {("Mul", "while/mul", 127)}


def test_calls_and_branches() -> None:
    @tf.function
    def inner(x: tf.Tensor) -> tf.Tensor:
        return tf.sqrt(x) + 1.0

    @tf.function
    def middle(x: tf.Tensor) -> tf.Tensor:
        return inner(x) * 2.0

    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        y = tf.math.log(x)
        z = middle(y)
        return tf.cond(tf.reduce_sum(z) > 0, lambda: inner(z), lambda: inner(y - z))

    assert blamed(program, tf.constant(LARGE), times=50) == {("Log", "Log", None)}
    assert blamed(middle, tf.constant(LARGE)) == {("Sqrt", "Sqrt", None)}


def test_gradients_and_the_variable_stays_good() -> None:
    weight = tf.Variable(tf.ones(1000))

    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sqrt(weight * x))
        weight.assign_sub(tape.gradient(loss, weight))
        return loss

    assert blamed(program, tf.zeros(1000)) == {("SqrtGrad", "gradient_tape/SqrtGrad", None)}
    assert np.array_equal(weight.numpy(), np.ones(1000))


def test_a_variable_that_was_bad_before() -> None:
    weight = tf.Variable(tf.ones(3), name="w")

    @tf.function
    def program() -> tf.Tensor:
        return weight * 2.0

    disable_check_numerics()
    weight.assign([1.0, np.nan, 1.0])
    enable_check_numerics()
    said = raised(program)
    assert said is not None
    assert said.op_type == "ReadVariableOp"
    assert 'Variable: "w" holds it already' in said.message


def test_functions_of_a_pipeline() -> None:
    data = tf.data.Dataset.range(10).map(lambda x: tf.math.log(tf.cast(x, tf.float32) - 1.0) * 3.0)
    assert blamed(lambda: list(data)) == {("Log", "Log", None)}


def test_the_operation_that_takes_a_bad_argument() -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        return tf.reshape(x, [-1]) * 2.0

    said = raised(program, np.array([[1.0, 2.0], [3.0, np.nan]], np.float32))
    assert said is not None
    assert said.op_type == "Mul"
    assert "row 3 of 4" in said.message
    assert "1 NaN of 4" in said.message


def test_an_argument_that_nothing_takes_is_no_trouble() -> None:
    @tf.function
    def program(x: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
        return tf.where(mask > -1.0, x, 0.0)

    assert raised(program, tf.ones(3), np.array([0.0, -np.inf, 0.0], np.float32)) is None


def test_a_bad_argument_of_a_loop() -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(3):
            x = tf.sin(x)
        return x

    bad = np.r_[np.nan, np.ones(100_000)].astype(np.float32)
    assert blamed(program, bad) == {("Sin", "while/Sin", 0)}


def test_outputs_that_are_not_checked() -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        normal, *_ = tf.compat.v1.nn.fused_batch_norm(x, tf.ones(2), tf.zeros(2), is_training=True)
        return normal

    assert raised(program, tf.zeros((0, 1, 1, 2))) is None


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128])
def test_every_dtype(dtype: tf.DType) -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        return 1.0 / x

    assert raised(program, tf.constant([1.0], dtype)) is None
    assert blamed(program, tf.constant([0.0], dtype)) == {("RealDiv", "truediv", None)}


def test_numbers_stay_the_same() -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        total = tf.zeros(())
        for row in x:
            total += tf.reduce_sum(tf.nn.softmax(row)) if total < 2.0 else tf.norm(row)
        return total

    x = np.random.default_rng(0).normal(size=(5, 7)).astype(np.float32)
    checked = program(x).numpy()
    assert checked == program.python_function(tf.constant(x)).numpy()


def test_a_variable_is_checked_again_when_it_was_written() -> None:
    weight, other = tf.Variable([1.0, 1.0]), tf.Variable([1.0, 1.0])

    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        first = weight + weight * 2.0 + other
        with tf.control_dependencies([weight.scatter_nd_update([[0]], x)]):
            return first + weight.read_value()

    bad = np.array([np.nan], np.float32)
    assert blamed(program, bad, times=1) == {("ReadVariableOp", "Read/ReadVariableOp", None)}
