"""Losses that do not do what a loss should."""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from tests.e2e.troubled.registry import LIMIT, Layer, normal, train, trouble


@trouble("clipped_probabilities", "Log")
def logits_for_a_loss_of_probabilities() -> None:
    x = np.random.default_rng(0).normal(size=(128, 4)).astype(np.float32)
    y = (x.sum(1, keepdims=True) > 0).astype(np.float32)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
    model.compile("adam", "binary_crossentropy")
    epochs, steps = min(5, LIMIT["steps"] - 2), min(4, LIMIT["steps"])
    model.fit(x, y, batch_size=32, epochs=epochs, steps_per_epoch=steps, verbose=0)  # HERE


@trouble("negated_loss", "logistic_loss")
def an_elbo_that_is_minimized() -> None:
    x = tf.sigmoid(normal(64, 8, seed=3))
    encoder, decoder = Layer(8, 2, "encoder", 1), Layer(2, 8, "decoder", 3)

    def loss(_: int) -> tf.Tensor:
        mean = encoder(x)
        wrong = tf.nn.sigmoid_cross_entropy_with_logits(x, decoder(mean + normal(64, 2, seed=4)))  # HERE
        return -tf.reduce_mean(tf.reduce_sum(wrong, 1) + 0.5 * tf.reduce_sum(mean**2, 1))

    train(loss, [encoder.kernel, encoder.bias, decoder.kernel, decoder.bias], steps=50, rate=0.02)


@trouble("negated_loss", "mul")
def a_log_likelihood_that_is_minimized() -> None:
    first = Layer(8, 3, "first", 1)
    x = normal(64, 8, seed=3)
    labels = tf.one_hot(tf.argmax(x[:, :3], 1), 3)

    def loss(_: int) -> tf.Tensor:
        likelihood = labels * tf.nn.log_softmax(first(x))  # HERE
        return tf.reduce_mean(tf.reduce_sum(likelihood, 1))

    train(loss, [first.kernel, first.bias], rate=0.1)


@trouble("no_updates", "first")
def a_rate_of_zero() -> None:
    first = Layer(8, 4, "first", 1)
    x, y = normal(32, 8, seed=3), normal(32, 4, seed=4)

    def loss(_: int) -> tf.Tensor:
        return tf.reduce_mean(tf.square(first(x) - y), name="loss")

    train(loss, [first.kernel, first.bias], rate=0.0)


@trouble("constant_loss", "Mean")
def an_update_that_was_forgotten() -> None:
    weight = tf.Variable(normal(8, 1, seed=1), name="weight")
    x, y = normal(32, 8, seed=3), normal(32, 1, seed=4)
    for _ in range(20):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ weight - y))  # HERE
        gradient = tape.gradient(loss, weight)
        weight = tf.Variable(weight - 0.0 * gradient, name="weight")


@trouble("rising_loss", "Mean")
def the_wrong_sign() -> None:
    first = Layer(8, 4, "first", 1)
    x, y = normal(32, 8, seed=3), normal(32, 4, seed=4)

    def loss(_: int) -> tf.Tensor:
        return tf.reduce_mean(tf.square(first(x) - y))  # HERE

    train(loss, [first.kernel, first.bias], rate=-0.05)


@trouble("rising_loss", "")
def a_reward_that_is_minimized() -> None:
    x = np.random.default_rng(0).normal(size=(256, 6)).astype(np.float32)
    labels = (x[:, 0] > 0).astype(np.int32)
    model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(2)])

    def cost(y_true: tf.Tensor, logits: tf.Tensor) -> tf.Tensor:
        return -tf.nn.sparse_softmax_cross_entropy_with_logits(tf.cast(tf.reshape(y_true, [-1]), tf.int32), logits)

    for layer in model.layers:
        layer.trainable = True
    optimizer = keras.optimizers.SGD(-0.05)
    model.compile(optimizer, lambda y_true, logits: -cost(y_true, logits))
    model.fit(x, labels, batch_size=256, epochs=40, verbose=0)  # HERE


@trouble("rising_loss", "Mean")
def a_gradient_that_is_added_eagerly() -> None:
    weight = tf.Variable(normal(8, 1, seed=1, scale=0.1), name="weight")
    x, y = normal(64, 8, seed=3), tf.cast(normal(64, 1, seed=4) > 0, tf.float32)
    for _ in range(30):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(y, x @ weight))  # HERE
        weight.assign_add(0.3 * tape.gradient(loss, weight))


@trouble("rising_loss", "Mean")
def a_sign_that_is_turned_before_an_optimizer_of_keras_eagerly() -> None:
    """Its correction of the bias, computed from the number of steps, falls while the loss rises."""
    weight = tf.Variable(normal(4, 1, seed=1), name="weight")
    x, optimizer = normal(64, 4, seed=3), keras.optimizers.Adam(0.05)
    for _ in range(40):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ weight - tf.reduce_sum(x, 1, keepdims=True)))  # HERE
        optimizer.apply_gradients([(-tape.gradient(loss, weight), weight)])


@trouble("rising_loss", "Mean")
def a_gain_that_is_minimized_in_a_session_with_variables_by_reference() -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x, y = v1.placeholder(tf.float32, [None, 8]), v1.placeholder(tf.float32, [None, 1])
        weight = v1.get_variable("weight", [8, 1], initializer=v1.zeros_initializer(), use_resource=False)
        loss = tf.reduce_mean(tf.square(x @ weight - y))  # HERE
        train_step = v1.train.GradientDescentOptimizer(0.02).minimize(-loss)
        session.run(v1.global_variables_initializer())
        rows = np.random.default_rng(0).normal(size=(64, 8)).astype(np.float32)
        for _ in range(30):
            session.run([train_step, loss], {x: rows, y: rows[:, :1]})


@trouble("saturated_output", "Sigmoid")
def targets_out_of_the_range_of_a_sigmoid() -> None:
    first = Layer(8, 1, "first", 1)
    x, y = normal(32, 8, seed=3), tf.abs(normal(32, 1, seed=4)) * 20.0 + 30.0

    def loss(_: int) -> tf.Tensor:
        guess = tf.sigmoid(first(x))  # HERE
        return tf.reduce_mean(tf.square(guess - y))

    train(loss, [first.kernel, first.bias], steps=60, rate=0.05)


@trouble("saturated_output", "Tanh")
def targets_out_of_the_range_of_a_tanh_in_keras() -> None:
    x = np.random.default_rng(0).normal(size=(256, 6)).astype(np.float32)
    x[:, 0] += np.sign(x[:, 0])
    y = 50.0 * np.sign(x[:, :1]) + x[:, 1:2]
    model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(1, "tanh")])
    model.compile(keras.optimizers.Adam(0.3), "mse")
    model.fit(x, y, batch_size=64, epochs=30, verbose=0)  # HERE


@trouble("negated_loss", "Square")
def a_minus_before_the_loss() -> None:
    first = Layer(8, 4, "first", 1)
    x, y = normal(32, 8, seed=3), normal(32, 4, seed=4)

    def loss(_: int) -> tf.Tensor:
        return -tf.reduce_mean(tf.square(first(x) - y))  # HERE

    train(loss, [first.kernel, first.bias])


@trouble("negated_loss", "")
def a_minus_in_a_loss_of_keras() -> None:
    x = np.random.default_rng(0).normal(size=(256, 6)).astype(np.float32)
    model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])

    def cost(y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
        return -tf.reduce_mean(tf.math.squared_difference(tf.cast(y_true, tf.float32), y_pred), axis=-1)  # HERE

    model.compile(keras.optimizers.SGD(0.01), cost)
    model.fit(x, x.sum(1, keepdims=True), batch_size=256, epochs=20, verbose=0)


@trouble("negated_loss", "Square")
def a_minus_in_a_loss_of_keras_whose_last_batch_is_smaller() -> None:
    x = np.random.default_rng(0).normal(size=(150, 6)).astype(np.float32)
    model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])

    def cost(y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
        return -tf.reduce_mean(tf.square(y_true - y_pred))  # HERE

    model.compile(keras.optimizers.SGD(0.01), cost)
    model.fit(x, x.sum(1, keepdims=True), batch_size=64, epochs=20, verbose=0)
