"""Overflows of one growth, and what the runtime computes as one, are one entry at the guilty line."""

from __future__ import annotations

from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.e2e import test_published_bugs

v1 = tf.compat.v1


def v1_the_same_logarithm_twice() -> None:
    with tf.Graph().as_default(), v1.Session() as s:
        x = v1.placeholder(tf.float32, [None, 4])
        y = v1.placeholder(tf.float32, [None, 3])
        w = v1.get_variable("w", [4, 3], initializer=v1.zeros_initializer(), use_resource=False)
        q = tf.nn.softmax(x @ w)
        loss = -tf.reduce_mean(tf.reduce_sum(y * tf.math.log(q), 1))  # HERE
        entropy = -tf.reduce_mean(tf.reduce_sum(q * tf.math.log(q), 1))
        train = v1.train.GradientDescentOptimizer(1.0).minimize(loss + 0.1 * entropy)
        s.run(v1.global_variables_initializer())
        for _ in range(6):
            s.run([loss, entropy, train], {x: np.eye(4) * 300, y: np.eye(3)[[0, 1, 2, 0]]})


def v1_a_line_that_diverges() -> None:
    with tf.Graph().as_default(), v1.Session() as s:
        x, y = v1.placeholder(tf.float32, [2, 50]), v1.placeholder(tf.float32, [1, 50])
        w = v1.get_variable("w", [1, 2], initializer=v1.ones_initializer(), use_resource=False)
        error = tf.reduce_mean(tf.pow(y - w @ x, 2))  # HERE
        train = v1.train.GradientDescentOptimizer(0.5).minimize(error)
        s.run(v1.global_variables_initializer())
        given = {x: [np.arange(50), np.ones(50)], y: [2.0 * np.arange(50) + 4]}
        for _ in range(20):
            s.run(train, given)
            s.run(error, given)


def an_encoder_of_unscaled_pictures() -> None:
    chance = np.random.default_rng(0)
    first = tf.Variable(chance.normal(size=(16, 4)).astype(np.float32))
    optimizer = keras.optimizers.Adam(0.01)

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            spread = tf.clip_by_value(x @ first, -100.0, 88.0)
            distance = tf.reduce_sum(tf.exp(spread) - spread, 1)  # HERE
            total = tf.reduce_sum(distance)
        optimizer.apply_gradients([(tape.gradient(total, first), first)])
        return total

    for _ in range(3):
        step(tf.constant(np.abs(chance.normal(size=(32, 16))).astype(np.float32) * 255))


PROGRAMS = (v1_the_same_logarithm_twice, v1_a_line_that_diverges, an_encoder_of_unscaled_pictures)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_it_is_told_once(tmp_path: Path, function: test_published_bugs.Program) -> None:
    test_published_bugs.test_one_trouble_is_told_once(tmp_path, function)
