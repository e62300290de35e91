"""Layers that little comes through."""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from tests.e2e.troubled.registry import Layer, normal, train, trouble


@trouble("often_zero_gradient", "first")
def a_clipping_that_most_batches_are_beyond() -> None:
    first = Layer(8, 1, "first", 1)
    batches = np.random.default_rng(3).normal(size=(40, 16, 8)).astype(np.float32)
    scale = np.where(np.arange(40) % 5 == 4, 0.1, 1e4).astype(np.float32)
    x, y = tf.constant(batches * scale[:, None, None]), normal(16, 1, seed=4)

    def loss(step: tf.Tensor) -> tf.Tensor:
        guess = tf.clip_by_value(first(x[step]), -1.0, 1.0)  # HERE
        return tf.reduce_mean(tf.square(guess - y))

    train(loss, [first.kernel, first.bias], steps=39, rate=1e-7)


@trouble("often_zero_gradient", "hidden/kernel")
def a_relu_that_is_mostly_off() -> None:
    hidden, last = Layer(4, 6, "hidden", 1), Layer(6, 1, "last", 2)
    batches = np.abs(np.random.default_rng(3).normal(size=(60, 8, 4))).astype(np.float32)
    sign = np.where(np.arange(60) % 10 == 9, 1.0, -1.0).astype(np.float32)
    hidden.kernel.assign(tf.abs(hidden.kernel) + 0.1)
    x, y = tf.constant(batches * sign[:, None, None]), normal(8, 1, seed=4)

    def loss(step: tf.Tensor) -> tf.Tensor:
        active = tf.nn.relu(x[step] @ hidden.kernel)  # HERE
        return tf.reduce_mean(tf.square(last(active) - y))

    train(loss, [hidden.kernel, last.kernel, last.bias], steps=59, rate=1e-3)


@trouble("often_zero_gradient", "weight")
def a_score_that_is_cut_off_eagerly() -> None:
    weight = tf.Variable(normal(4, 1, seed=1), name="weight")
    for step in range(29):
        x = normal(8, 4, seed=step, scale=0.1 if step % 4 == 3 else 100.0)
        with tf.GradientTape() as tape:
            score = tf.minimum(tf.abs(x @ weight), 0.01 if step % 4 < 3 else 10.0)
            loss = tf.reduce_mean(tf.square(score - 1.0))
        weight.assign_sub(1e-3 * tape.gradient(loss, weight))  # HERE


@trouble("dead_units", "Relu")
def a_rate_that_kills_a_layer_of_keras() -> None:
    x = np.random.default_rng(0).normal(size=(256, 8)).astype(np.float32) + 1.0
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(32), keras.layers.ReLU(), keras.layers.Dense(1)])
    model.layers[0].bias.assign(np.full(32, -80.0, np.float32))
    model.compile(keras.optimizers.SGD(0.01), "mse")
    model.fit(x, x[:, :1], batch_size=32, epochs=3, verbose=0)  # HERE
