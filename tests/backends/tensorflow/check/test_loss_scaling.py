"""Half precision with Keras' own loss scale, whose first steps overflow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from tensordbg.tensorflow import disable_check_numerics, enable_check_numerics

RANDOM = np.random.RandomState(2)
GIVEN = RANDOM.randn(64, 8).astype("float32")
WANTED = 300 * GIVEN.sum(1, keepdims=True)


@pytest.fixture(autouse=True)
def checked() -> Iterator[None]:
    enable_check_numerics()
    yield
    disable_check_numerics()


def half_precision() -> Any:
    hidden = keras.layers.Dense(16, activation="relu", dtype="mixed_float16")
    return keras.Sequential([keras.Input((8,)), hidden, keras.layers.Dense(1, dtype="float32")])


def scaled() -> Any:
    return keras.mixed_precision.LossScaleOptimizer(keras.optimizers.Adam(1e-2))


def step_of(model: Any, optimizer: Any, loss_of: Callable[[Any, Any], Any]) -> Callable[[], Any]:
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(model(tf.constant(GIVEN), training=True), tf.constant(WANTED))
            told = optimizer.scale_loss(loss)
        optimizer.apply_gradients(
            zip(tape.gradient(told, model.trainable_variables), model.trainable_variables, strict=True)
        )
        return loss

    return step


def squared(given: Any, wanted: Any) -> Any:
    return tf.reduce_mean((given - wanted) ** 2)


@pytest.mark.parametrize("how", ["eagerly", "in a function", "by fit"])
def test_overflows_by_which_the_scale_is_found_are_let_pass(how: str) -> None:
    model, optimizer = half_precision(), scaled()
    if how == "by fit":
        model.compile(optimizer, "mse")
        model.fit(GIVEN, WANTED, batch_size=16, epochs=3, verbose=0)
    else:
        step = step_of(model, optimizer, squared)
        step = tf.function(step) if how == "in a function" else step
        for _ in range(12):
            assert np.isfinite(step().numpy())
    assert optimizer.dynamic_scale.numpy() < optimizer.initial_scale, "some steps were left out"


@pytest.mark.parametrize("how", ["eagerly", "in a function"])
def test_a_gradient_that_divides_by_zero_is_not_the_scales_doing(how: str) -> None:
    def root_at_zero(given: Any, _: Any) -> Any:
        return tf.reduce_mean(tf.sqrt(tf.cast(tf.nn.relu(-tf.abs(given)), tf.float16)))

    step = step_of(half_precision(), scaled(), root_at_zero)
    with pytest.raises(tf.errors.InvalidArgumentError, match="SqrtGrad"):
        (tf.function(step) if how == "in a function" else step)()


def test_a_forward_pass_that_overflows_is_not_either() -> None:
    def overflowing(given: Any, _: Any) -> Any:
        return tf.reduce_mean(tf.cast(tf.cast(given, tf.float16) * tf.constant(1e4, tf.float16) * 1e4, tf.float32))

    with pytest.raises(tf.errors.InvalidArgumentError, match='op "Mul"'):
        step_of(half_precision(), scaled(), overflowing)()
