"""Layers known by their weights: one that is called in several lines is dead once, two layers are dead twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import keras
import pytest
import tensorflow as tf

import tensordbg


def network(*, bias: float) -> keras.Sequential:
    """A network of two layers, the first with this bias."""
    start = keras.initializers.Constant(bias)
    hidden = keras.layers.Dense(16, "relu", kernel_initializer="glorot_uniform", bias_initializer=start)
    return keras.Sequential([keras.Input((3,)), hidden, keras.layers.Dense(1)])


def judged_in_two_lines() -> tuple[list[keras.Model], Callable[[tf.Tensor], tf.Tensor]]:
    judge = network(bias=-100.0)

    def loss(x: tf.Tensor) -> tf.Tensor:
        good = judge(x)
        bad = judge(x + 1.0)
        return tf.reduce_mean(tf.square(good - 1.0)) + tf.reduce_mean(tf.square(bad + 1.0))

    return [judge], loss


def two_that_are_dead() -> tuple[list[keras.Model], Callable[[tf.Tensor], tf.Tensor]]:
    one, other = network(bias=-100.0), network(bias=-50.0)

    def loss(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_mean(tf.square(one(x) - 1.0)) + tf.reduce_mean(tf.square(other(x) + 1.0))

    return [one, other], loss


@pytest.mark.parametrize(("program", "count"), [(judged_in_two_lines, 1), (two_that_are_dead, 2)])
def test_a_dead_layer_is_told_once(
    tmp_path: Path, program: Callable[[], tuple[list[keras.Model], Callable[[tf.Tensor], tf.Tensor]]], count: int
) -> None:
    keras.utils.set_random_seed(1)
    models, loss = program()
    variables = [variable for model in models for variable in model.trainable_variables]
    optimizer = keras.optimizers.Adam(1e-3)

    @tf.function
    def step(x: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            value = loss(x)
        optimizer.apply_gradients(zip(tape.gradient(value, variables), variables, strict=True))

    with tensordbg.record(tmp_path) as recording:
        for _ in range(12):
            step(tf.random.normal((8, 3)))
    warnings = tensordbg.open(recording.path).why().warnings
    assert [each.kind for each in warnings] == ["dead_units"] * count
