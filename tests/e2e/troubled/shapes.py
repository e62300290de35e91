"""Shapes that fit each other by mistake."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import keras
import numpy as np
import tensorflow as tf

from tests.e2e.troubled.registry import Layer, normal, train, trouble


@trouble("softmax_of_one", "Softmax")
def one_output_with_a_softmax() -> None:
    first, second = Layer(8, 16, "first", 1), Layer(16, 1, "second", 2)
    x, y = normal(32, 8, seed=3), tf.cast(normal(32, 1, seed=4) > 0, tf.float32)

    def loss(_: int) -> tf.Tensor:
        p = tf.nn.softmax(second(tf.tanh(first(x))))  # HERE
        return tf.reduce_mean(tf.square(p - y))

    train(loss, [first.kernel, first.bias, second.kernel, second.bias])


@trouble("softmax_of_one", "Softmax")
def a_softmax_of_one_in_keras(metrics: Sequence[str] = ("accuracy",)) -> None:
    x = np.random.default_rng(0).normal(size=(256, 6)).astype(np.float32)
    model = keras.Sequential(
        [keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1, activation="softmax")]
    )
    model.compile("adam", "binary_crossentropy", metrics=[*metrics])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # Keras warns of it, too
        model.fit(x, (x[:, :1] > 0).astype(np.float32), batch_size=32, epochs=3, verbose=0)  # HERE


@trouble("softmax_of_one", "SoftmaxCrossEntropyWithLogits")
def a_cross_entropy_of_one_class_eagerly() -> None:
    weight = tf.Variable(normal(6, 1), name="weight")
    x, labels = normal(32, 6, seed=1), tf.ones([32, 1])
    for _ in range(12):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels, x @ weight))  # HERE
        weight.assign_sub(0.1 * tape.gradient(loss, weight))


@trouble("activation_twice", "SoftmaxCrossEntropyWithLogits")
def probabilities_as_logits() -> None:
    first, second = Layer(8, 16, "first", 1), Layer(16, 4, "second", 2)
    x, y = normal(32, 8, seed=3), tf.range(32) % 4

    def loss(_: int) -> tf.Tensor:
        p = tf.nn.softmax(second(tf.tanh(first(x))))
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, p))  # HERE

    train(loss, [first.kernel, first.bias, second.kernel, second.bias])


@trouble("activation_twice", "")
def a_sigmoid_before_a_loss_of_logits_eagerly() -> None:
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
    loss_of = keras.losses.BinaryCrossentropy(from_logits=True)
    optimizer = keras.optimizers.SGD(0.1)
    x = normal(32, 8, seed=3)
    y = np.float32(np.asarray(x)[:, :1] > 0)
    for _ in range(12):
        with tf.GradientTape() as tape:
            p = tf.cast(tf.reshape(tf.sigmoid(model(x)), [32, 1]), tf.float32)
            loss = loss_of(y, p)  # HERE
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))


@trouble("outer_broadcast", "sub")
def a_column_less_a_row() -> None:
    first = Layer(8, 1, "first", 1)
    x = normal(32, 8, seed=3)
    y = x[:, 0] * 2.0

    def loss(_: int) -> tf.Tensor:
        error = first(x) - y  # HERE
        return tf.reduce_mean(tf.square(error))

    train(loss, [first.kernel, first.bias])


@trouble("outer_broadcast", "")
def a_column_less_a_row_in_a_session() -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x, y = v1.placeholder(tf.float32, [None, 4], "x"), v1.placeholder(tf.float32, [None], "y")
        weight = v1.get_variable("weight", [4, 1])
        guess = tf.matmul(x, weight)
        error = tf.math.squared_difference(guess, y)  # HERE
        loss = tf.reduce_mean(error)
        train_step = v1.train.GradientDescentOptimizer(0.05).minimize(loss)
        session.run(v1.global_variables_initializer())
        rows = np.random.default_rng(0).normal(size=(20, 16, 4)).astype(np.float32)
        for batch in rows:
            session.run([train_step, loss], {x: batch, y: batch.sum(axis=1)})


@trouble("outer_broadcast", "Sub")
def values_of_states_less_their_returns_eagerly() -> None:
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
    optimizer = keras.optimizers.SGD(0.05)
    states = normal(16, 4, seed=1)
    returns = tf.reduce_sum(states, axis=1)
    for _ in range(15):
        with tf.GradientTape() as tape:
            advantage = returns - model(states)  # HERE
            loss = tf.reduce_mean(advantage**2)
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
