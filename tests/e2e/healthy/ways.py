"""Ways to train: sessions, callbacks, schedules, loops, steps of one's own."""

from __future__ import annotations

import tempfile
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from tests.e2e.healthy.registry import batch, dense, digits, fit, healthy, improve, normal


@healthy
def a_session_of_tensorflow_1() -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x, y = v1.placeholder(tf.float32, [None, 64]), v1.placeholder(tf.int32, [None])
        hidden = tf.nn.relu(x @ v1.get_variable("w1", [64, 32]) + v1.get_variable("b1", [32]))
        logits = hidden @ v1.get_variable("w2", [32, 10]) + v1.get_variable("b2", [10])
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
        right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1, tf.int32), y), tf.float32))
        step = v1.train.get_or_create_global_step()
        train = v1.train.AdamOptimizer(0.01).minimize(loss, global_step=step)
        session.run(v1.global_variables_initializer())
        images, labels = digits()
        for k in range(60):
            part = slice(k % 16 * 64, k % 16 * 64 + 64)
            session.run([train, loss, right], {x: images[part], y: labels[part]})


@healthy
def a_session_with_a_loop_in_it() -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [16, 10, 3])
        w, u = v1.get_variable("w", [3, 8]), v1.get_variable("u", [8, 8])

        def turn(k: tf.Tensor, state: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            return k + 1, tf.tanh(x[:, k] @ w + state @ u)

        _, last = tf.while_loop(lambda k, _: k < 10, turn, [0, tf.zeros([16, 8])])
        guess = tf.squeeze(last @ v1.get_variable("v", [8, 1]), 1)
        loss = tf.reduce_mean(tf.square(guess - tf.reduce_mean(x[:, :, 0], axis=1)))
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        session.run(v1.global_variables_initializer())
        for k in range(40):
            session.run([train, loss], {x: normal(16, 10, 3, seed=k)})


@healthy
def a_game_of_two_in_a_session_with_variables_by_reference() -> None:
    """TensorFlow adds 1 and the small number first, and records the sum as `1.0 - score(made)`."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        with v1.variable_scope("", use_resource=False):
            real, chance = v1.placeholder(tf.float32, [None, 2]), v1.placeholder(tf.float32, [None, 4])
            judge, maker = v1.get_variable("judge", [2, 1]), v1.get_variable("maker", [4, 2])
        made = chance @ maker
        good, bad = tf.sigmoid(real @ judge), tf.sigmoid(made @ judge)
        judged = -tf.reduce_mean(tf.math.log(good) + tf.math.log(1.0 - bad + 1e-8))
        fooled = -tf.reduce_mean(tf.math.log(bad + 1e-8))
        judging = v1.train.AdamOptimizer(0.01).minimize(judged, var_list=[judge])
        making = v1.train.AdamOptimizer(0.01).minimize(fooled, var_list=[maker])
        session.run(v1.global_variables_initializer())
        for k in range(40):
            feeds = {real: normal(32, 2, seed=k) + 1, chance: normal(32, 4, seed=1000 + k)}
            session.run(judging, feeds)
            session.run([making, fooled], feeds)


@healthy
def an_accuracy_that_is_perfect_at_once() -> None:
    labels = np.arange(64) % 2
    x = normal(64, 8, seed=1, scale=0.1) + np.outer(2 * labels - 1, np.eye(8)[0]).astype(np.float32)
    weight = tf.Variable(np.outer(np.eye(8)[0], [-0.1, 0.1]).astype(np.float32))
    optimizer = keras.optimizers.SGD(0.5)
    for _ in range(30):
        with tf.GradientTape() as tape:
            logits = tf.matmul(x, weight)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
        right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))
        assert float(right) == 1.0


@healthy
def keras_with_callbacks() -> None:
    x, y = digits()
    model = dense(64, 32, 10, last="softmax")
    model.compile(keras.optimizers.SGD(0.3), "sparse_categorical_crossentropy", metrics=["accuracy"])
    with tempfile.TemporaryDirectory() as folder:
        callbacks = [
            keras.callbacks.EarlyStopping(patience=3, restore_best_weights=True),
            keras.callbacks.ReduceLROnPlateau(patience=1, factor=0.3),
            keras.callbacks.ModelCheckpoint(str(Path(folder) / "best.weights.h5"), save_weights_only=True),
            keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: None),
        ]
        model.fit(x, y, validation_split=0.2, epochs=8, callbacks=callbacks, verbose=0)
    model.evaluate(x, y, verbose=0)


class Distiller(keras.Model):
    """A small network that learns from a larger one, by a step of its own."""

    def __init__(self, teacher: keras.Model, student: keras.Model) -> None:
        super().__init__()
        self.teacher, self.student = teacher, student
        self.mean = keras.metrics.Mean(name="loss")

    def train_step(self, data: tuple[tf.Tensor, tf.Tensor]) -> dict[str, tf.Tensor]:
        x, y = data
        soft = tf.nn.softmax(self.teacher(x, training=False) / 3.0)

        def loss() -> tf.Tensor:
            logits = self.student(x, training=True)
            hard = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
            return tf.reduce_mean(hard + 9.0 * tf.nn.softmax_cross_entropy_with_logits(soft, logits / 3.0))

        self.mean.update_state(improve(loss, self.student.trainable_variables, self.optimizer))
        return {"loss": self.mean.result()}


@healthy
def a_student_with_a_train_step_of_its_own() -> None:
    x, y = digits()
    teacher = dense(64, 64, 10)
    fit(teacher, x, y, epochs=4)
    teacher.trainable = False
    model = Distiller(teacher, dense(64, 12, 10))
    model.compile(keras.optimizers.Adam(0.005))
    model.fit(x, y, epochs=4, batch_size=64, verbose=0)


@healthy
def half_precision_with_convolutions_and_a_loop_of_its_own() -> None:
    keras.config.set_dtype_policy("mixed_float16")
    try:
        model = keras.Sequential(
            [
                keras.Input((8, 8, 1)),
                keras.layers.Conv2D(16, 3, padding="same"),
                keras.layers.BatchNormalization(),
                keras.layers.ReLU(),
                keras.layers.Flatten(),
                keras.layers.Dense(10, dtype="float32"),
            ]
        )
        optimizer = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.Adam(0.002))
        optimizer.build(model.trainable_variables)

        @tf.function
        def train_step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
            with tf.GradientTape() as tape:
                logits = model(tf.reshape(x, [-1, 8, 8, 1]), training=True)
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
                scaled = optimizer.scale_loss(loss)
            gradients = tape.gradient(scaled, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            return loss

        for step in range(40):
            train_step(*batch(step, 32))
    finally:
        keras.config.set_dtype_policy("float32")


@healthy
def weight_decay_a_falling_rate_and_a_moving_average() -> None:
    x, y = digits()
    layers = [keras.layers.Dense(48, "swish", kernel_regularizer=keras.regularizers.L2(1e-4)), keras.layers.Dense(10)]
    schedule = keras.optimizers.schedules.ExponentialDecay(0.05, 10, 0.7)
    optimizer = keras.optimizers.SGD(schedule, momentum=0.9, nesterov=True, weight_decay=1e-3, use_ema=True)
    fit(keras.Sequential([keras.Input((64,)), *layers]), x, y, epochs=5, optimizer=optimizer)


@healthy
def eager_least_squares() -> None:
    x = tf.constant(normal(100, 1))
    y = 3.0 * x + 2.0
    slope, offset = tf.Variable(0.0, name="slope"), tf.Variable(0.0, name="offset")
    for _ in range(40):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((slope * x + offset - y) ** 2)
        for variable, gradient in zip([slope, offset], tape.gradient(loss, [slope, offset]), strict=True):
            variable.assign_sub(0.1 * gradient)


@healthy
def a_differential_equation_that_is_fitted() -> None:
    rate = tf.Variable(0.1, name="rate")
    optimizer = keras.optimizers.Adam(0.05)

    @tf.function
    def train_step() -> tf.Tensor:
        def loss() -> tf.Tensor:
            state = tf.ones([4])
            for _ in tf.range(40):
                state += 0.05 * rate * state
            return tf.reduce_mean(tf.square(state - 5.0))

        return improve(loss, [rate], optimizer)

    for _ in range(40):
        train_step()


@healthy
def a_boundary_problem_by_its_second_derivative() -> None:
    model = dense(1, 16, 16, 1, activation="tanh")
    optimizer = keras.optimizers.Adam(0.01)
    points = tf.constant(np.linspace(0, 1, 32, dtype=np.float32)[:, None])

    @tf.function
    def train_step() -> tf.Tensor:
        def loss() -> tf.Tensor:
            with tf.GradientTape() as outer:
                outer.watch(points)
                with tf.GradientTape() as inner:
                    inner.watch(points)
                    u = model(points)
                slope = inner.gradient(u, points)
            bend = outer.gradient(slope, points)
            ends = model(tf.constant([[0.0], [1.0]]))
            force = np.pi**2 * tf.sin(np.pi * points)
            return tf.reduce_mean(tf.square(bend + force)) + 10.0 * tf.reduce_mean(tf.square(ends))

        return improve(loss, model.trainable_variables, optimizer)

    for _ in range(60):
        train_step()


@healthy
def clusters_and_eigenvectors_without_a_gradient() -> None:
    points = tf.constant(np.concatenate([normal(50, 2), normal(50, 2, seed=1) + 6.0]))
    centres = tf.Variable(points[:2], name="centres")
    direction = tf.Variable(tf.ones([2, 1]), name="direction")

    @tf.function
    def advance() -> None:
        distance = tf.reduce_sum(tf.square(points[:, None] - centres), axis=2)
        nearest = tf.one_hot(tf.argmin(distance, axis=1), 2)
        centres.assign(tf.matmul(nearest, points, transpose_a=True) / (tf.reduce_sum(nearest, axis=0)[:, None] + 1e-6))
        image = tf.matmul(points, tf.matmul(points, direction), transpose_a=True)
        direction.assign(image / tf.norm(image))

    for _ in range(15):
        advance()


@healthy
def a_graph_whose_nodes_send_messages() -> None:
    random = np.random.default_rng(0)
    one, two = random.integers(0, 60, (2, 300))
    labels = tf.constant((np.arange(60) % 3).astype(np.int32))
    first, second = dense(8, 16, 16), dense(16, 3)
    features = tf.constant(normal(60, 8) + np.eye(3, 8)[np.arange(60) % 3].astype(np.float32) * 2)
    optimizer = keras.optimizers.Adam(0.01)
    variables = [*first.trainable_variables, *second.trainable_variables]

    @tf.function
    def train_step() -> tf.Tensor:
        def loss() -> tf.Tensor:
            nodes = first(features)
            total = tf.math.unsorted_segment_sum(tf.gather(nodes, one), two, 60)
            count = tf.math.unsorted_segment_sum(tf.ones([300, 1]), two, 60)
            nodes = tf.nn.relu(nodes + total / tf.maximum(count, 1.0))
            return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, second(nodes)))

        return improve(loss, variables, optimizer)

    for _ in range(60):
        train_step()


@healthy
def weights_whose_size_is_only_logged() -> None:
    x = normal(512, 8)
    y = normal(512, seed=3) + 0.3 * x[:, 0]
    weight = tf.Variable(tf.zeros([8, 1]), name="weight")
    optimizer = keras.optimizers.SGD(0.02)
    for _ in range(25):
        improve(lambda: tf.reduce_mean(tf.square(tf.squeeze(x @ weight, 1) - y)), [weight], optimizer)
        print("size of the weights", float(tf.reduce_mean(tf.abs(weight))))
