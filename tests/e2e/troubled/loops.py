"""Numbers that grow from turn to turn, and logarithms on their way to zero."""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from tests.e2e.troubled.registry import normal, train, trouble


@trouble("growing_in_loop", "mul")
def a_loop_whose_state_doubles() -> None:
    factor = tf.Variable(1.9, name="factor")

    def loss(_: int) -> tf.Tensor:
        state = tf.ones([8])
        for _ in tf.range(30):
            state = state * factor  # HERE
        return tf.math.log(tf.reduce_mean(state))

    train(loss, [factor], steps=6, rate=1e-3)


@trouble("growing_in_loop", "mul")
def a_loop_whose_growth_training_enlarges() -> None:
    exponent = tf.Variable(0.5, name="exponent")

    def loss(_: int) -> tf.Tensor:
        state = tf.ones([8])
        for _ in tf.range(30):
            state = state * tf.exp(exponent)  # HERE
        return tf.square(tf.math.log(tf.reduce_mean(state)) - 75.0) / 100.0

    train(loss, [exponent], steps=10, rate=0.01)


@trouble("growing_in_loop", "")
def a_recurrent_network_without_a_bound() -> None:
    cell = keras.layers.SimpleRNN(
        16, activation="linear", recurrent_initializer=keras.initializers.Identity(1.6), kernel_initializer="ones"
    )
    model = keras.Sequential([keras.Input((40, 2)), cell, keras.layers.Dense(1)])
    model.compile(keras.optimizers.SGD(1e-4, clipnorm=1.0), "mse")
    x = np.random.default_rng(0).uniform(0, 1, (64, 40, 2)).astype(np.float32)
    model.fit(x, np.ones((64, 1), np.float32), batch_size=16, epochs=2, verbose=0)  # HERE


@trouble("growing_in_loop", "MatMul")
def a_recurrence_unrolled_by_python() -> None:
    weight = tf.Variable(np.eye(6, dtype=np.float32) * 1.8, name="weight")
    x = normal(4, 6)

    def loss(_: int) -> tf.Tensor:
        state = x
        for _ in range(24):
            state = tf.matmul(state, weight)  # HERE
        return tf.math.log(tf.reduce_mean(tf.square(state)))

    train(loss, [weight], steps=6, rate=1e-4)


@trouble("growing_in_loop", "gradient_tape")
def a_gradient_that_explodes_over_unrolled_turns() -> None:
    recurrent = tf.Variable(normal(16, 16, scale=0.6), name="recurrent")
    kernel = tf.Variable(normal(3, 16, seed=1), name="kernel")
    x = normal(32, 40, 3, seed=3)

    def loss(_: int) -> tf.Tensor:
        state = tf.zeros([32, 16])
        for turn in range(40):
            state = tf.sin(x[:, turn] @ kernel + state @ recurrent)  # HERE
        return tf.reduce_mean(tf.square(state))

    train(loss, [recurrent, kernel], steps=6, rate=1e-9)


@trouble("growing_in_loop", "")
def a_gradient_that_explodes_over_eager_turns() -> None:
    recurrent = tf.Variable(normal(16, 16, scale=0.6), name="recurrent")
    kernel = tf.Variable(normal(3, 16, seed=1), name="kernel")
    head = tf.Variable(normal(16, 1, seed=2), name="head")
    x = normal(32, 30, 3, seed=3)
    for _ in range(4):
        with tf.GradientTape() as tape:
            state = tf.zeros([32, 16])
            for turn in range(30):
                state = tf.sin(x[:, turn] @ kernel + state @ recurrent)  # HERE
            loss = tf.reduce_mean(tf.square(state @ head))
        for variable, gradient in zip((recurrent, kernel), tape.gradient(loss, (recurrent, kernel)), strict=True):
            variable.assign_sub(1e-9 * gradient)


@trouble("growing_in_loop", "MatMul")
def a_recurrence_run_eagerly() -> None:
    weight = tf.Variable(np.eye(6, dtype=np.float32) * 1.8, name="weight")
    x = normal(4, 6)
    for _ in range(6):
        with tf.GradientTape() as tape:
            state = x
            for _ in range(24):
                state = tf.matmul(state, weight)  # HERE
            loss = tf.math.log(tf.reduce_mean(tf.square(state)))
        weight.assign_sub(1e-4 * tape.gradient(loss, weight))


@trouble("log_near_zero", "Log")
def a_cross_entropy_of_probabilities() -> None:
    weight = tf.Variable(tf.zeros([4, 3]), name="weight")
    x, label = tf.eye(3, 4) * 4.0, tf.eye(3)

    optimizer = keras.optimizers.Adam(0.3)

    @tf.function
    def train_step() -> tf.Tensor:
        with tf.GradientTape() as tape:
            p = tf.nn.softmax(x @ weight)
            loss = -tf.reduce_mean(label * tf.math.log(p))  # HERE
        optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
        return loss

    for _ in range(60):
        train_step()


@trouble("log_near_zero", "Log")
def a_judge_that_is_sure_eagerly() -> None:
    weight = tf.Variable(1.0, name="weight")
    real = tf.constant([3.0, 4.0])
    for _ in range(60):
        with tf.GradientTape() as tape:
            judged = tf.sigmoid(-weight * real)
            cost = tf.reduce_mean(tf.square(judged)) - 1e-3 * tf.reduce_mean(tf.math.log(judged))  # HERE
            loss = cost - 1.0 * weight
        weight.assign_sub(0.1 * tape.gradient(loss, weight))
