"""Regression and classification of rows of numbers."""

from __future__ import annotations

from itertools import pairwise

import keras
import numpy as np
import tensorflow as tf

from tests.e2e.healthy.registry import batch, dense, digits, fit, healthy, improve, normal


def line(count: int = 256, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Points of eight numbers, and a sum of them with some noise."""
    x = normal(count, 8, seed=seed)
    return x, (x @ normal(8, 1, seed=1) + normal(count, 1, seed=2, scale=0.1)).astype(np.float32)


@healthy
def quantiles() -> None:
    x, y = line()
    model = dense(8, 32, 3)
    levels = tf.constant([0.1, 0.5, 0.9])
    optimizer = keras.optimizers.Adam(0.01)

    @tf.function
    def train_step() -> tf.Tensor:
        def loss() -> tf.Tensor:
            error = y - model(x)
            return tf.reduce_mean(tf.maximum(levels * error, (levels - 1.0) * error))

        return improve(loss, model.trainable_variables, optimizer)

    for _ in range(80):
        train_step()


@healthy
def a_narrow_stack_of_relus() -> None:
    x, y = line()
    model = dense(8, 6, 6, 6, 6, 1)
    model.compile(keras.optimizers.Adam(0.01), "mse")
    model.fit(x, y, epochs=15, batch_size=32, verbose=0)


@healthy
def many_narrow_layers_by_hand() -> None:
    x, y = line()
    widths = [8, 10, 10, 10, 1]
    kernels = [
        tf.Variable(normal(one, two, seed=k + 7, scale=(2 / one) ** 0.5), name=f"kernel{k}")
        for k, (one, two) in enumerate(pairwise(widths))
    ]
    biases = [tf.Variable(tf.zeros(width), name=f"bias{k}") for k, width in enumerate(widths[1:])]
    optimizer = keras.optimizers.SGD(0.02, momentum=0.9)

    @tf.function
    def train_step() -> tf.Tensor:
        def loss() -> tf.Tensor:
            h = tf.constant(x)
            for kernel, bias in zip(kernels[:-1], biases[:-1], strict=True):
                h = tf.nn.relu(tf.nn.bias_add(h @ kernel, bias))
            return tf.reduce_mean(tf.square(h @ kernels[-1] + biases[-1] - y))

        return improve(loss, [*kernels, *biases], optimizer)

    for _ in range(80):
        train_step()


@healthy
def a_margin_that_is_reached() -> None:
    x = normal(128, 2) + 3.0 * np.sign(normal(128, 1, seed=1))
    side = tf.constant(np.sign(x.sum(axis=1, keepdims=True)).astype(np.float32))
    weight, bias = tf.Variable(tf.zeros([2, 1]), name="weight"), tf.Variable(tf.zeros([1]), name="bias")
    optimizer = keras.optimizers.SGD(0.2)

    @tf.function
    def train_step() -> tf.Tensor:
        def loss() -> tf.Tensor:
            return tf.reduce_mean(tf.nn.relu(1.0 - side * (tf.constant(x) @ weight + bias)))

        return improve(loss, [weight, bias], optimizer)

    for _ in range(60):
        train_step()


@healthy
def a_classifier_that_knows_all_by_heart() -> None:
    x, y = digits()
    model = dense(64, 64, 10, last="softmax")
    model.compile(keras.optimizers.Adam(0.02), "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(x[:64], y[:64], epochs=120, batch_size=32, verbose=0)


@healthy
def two_classes_by_a_sigmoid() -> None:
    x, y = digits()
    model = dense(64, 16, 1, last="sigmoid")
    model.compile(keras.optimizers.Adam(0.02), "binary_crossentropy", metrics=["accuracy", "AUC"])
    model.fit(x[:512], (y[:512] > 4).astype(np.float32), epochs=12, batch_size=32, verbose=0)


@healthy
def counts_by_an_exponential() -> None:
    x, _ = line()
    counts = np.random.default_rng(0).poisson(np.exp(0.5 * x[:, :1])).astype(np.float32)
    model = dense(8, 1, last="exponential")
    model.compile(keras.optimizers.Adam(0.02), "poisson")
    model.fit(x, counts, epochs=10, batch_size=32, verbose=0)


@healthy
def large_targets_that_were_not_scaled() -> None:
    x, y = line()
    model = dense(8, 32, 1)
    model.compile(keras.optimizers.RMSprop(0.01), "mae", metrics=["mse"])
    model.fit(x, 100.0 * y + 50.0, epochs=15, batch_size=32, verbose=0)


@healthy
def rare_features_in_a_sparse_matrix() -> None:
    random = np.random.default_rng(0)
    weight = tf.Variable(tf.zeros([500, 1]), name="weight")
    optimizer = keras.optimizers.Ftrl(0.5, l1_regularization_strength=1e-3)

    @tf.function
    def train_step(indices: tf.Tensor, values: tf.Tensor, label: tf.Tensor) -> tf.Tensor:
        rows = tf.sparse.SparseTensor(indices, values, [32, 500])

        def loss() -> tf.Tensor:
            logits = tf.sparse.sparse_dense_matmul(rows, weight)
            return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(label, logits))

        return improve(loss, [weight], optimizer)

    for _ in range(40):
        columns = np.sort(random.integers(0, 500, (32, 4)), axis=1)
        indices = np.stack([np.repeat(np.arange(32), 4), columns.ravel()], axis=1)
        label = (columns.min(axis=1) < 60).astype(np.float32)[:, None]
        train_step(tf.constant(indices, tf.int64), tf.ones([128]), tf.constant(label))


@healthy
def ratings_by_two_tables_of_vectors() -> None:
    random = np.random.default_rng(0)
    users, items = random.integers(0, 50, 2000), random.integers(0, 80, 2000)
    ratings = (3 + np.sin(users) + np.cos(items)).astype(np.float32)
    one, two = keras.Input((), dtype="int32"), keras.Input((), dtype="int32")
    score = keras.layers.Dot(1)([keras.layers.Embedding(50, 8)(one), keras.layers.Embedding(80, 8)(two)])
    offset = keras.layers.Add()([keras.layers.Embedding(50, 1)(one), keras.layers.Embedding(80, 1)(two)])
    model = keras.Model([one, two], keras.layers.Add()([score, offset]))
    model.compile(keras.optimizers.Adam(0.02), "mse")
    model.fit([users, items], ratings, epochs=4, batch_size=64, verbose=0)


@healthy
def two_tasks_at_once() -> None:
    x, y = digits()
    given = keras.Input((64,))
    body = keras.layers.Dense(32, "relu")(given)
    digit, size = keras.layers.Dense(10, name="digit")(body), keras.layers.Dense(1, name="size")(body)
    model = keras.Model(given, {"digit": digit, "size": size})
    losses = {"digit": keras.losses.SparseCategoricalCrossentropy(from_logits=True), "size": "mse"}
    model.compile("adam", losses, loss_weights={"digit": 1.0, "size": 0.5})
    model.fit(x, {"digit": y, "size": x.mean(axis=1)[:, None]}, epochs=4, batch_size=64, verbose=0)


@healthy
def a_pretrained_body_whose_head_is_trained_then_all_at_a_tiny_rate() -> None:
    x, y = digits()
    body = keras.Sequential(
        [keras.Input((64,)), keras.layers.Dense(48), keras.layers.BatchNormalization(), keras.layers.ReLU()]
    )
    fit(keras.Sequential([body, keras.layers.Dense(10)]), x[:512], y[:512], epochs=4)
    body.trainable = False
    model = keras.Sequential([body, keras.layers.Dropout(0.3), keras.layers.Dense(10)])
    fit(model, x[512:], y[512:], epochs=3)
    body.trainable = True
    fit(model, x[512:], y[512:], epochs=2, optimizer=keras.optimizers.Adam(1e-6))


@healthy
def harder_and_harder_examples() -> None:
    model = dense(8, 32, 1)
    optimizer = keras.optimizers.Adam(0.003)

    @tf.function
    def train_step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        return improve(lambda: tf.reduce_mean(tf.square(model(x) - y)), model.trainable_variables, optimizer)

    for step in range(60):
        x = normal(64, 8, seed=step) * (0.2 + step / 30)
        train_step(tf.constant(x), tf.constant(np.sin(x[:, :1]) * x[:, 1:2]))


@healthy
def distances_between_all_pairs() -> None:
    model = dense(64, 32, 4)
    optimizer = keras.optimizers.Adam(0.003)

    @tf.function
    def train_step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        def loss() -> tf.Tensor:
            place = model(x)
            squares = tf.reduce_sum(tf.square(place), axis=1)
            distance = squares[:, None] - 2.0 * tf.matmul(place, place, transpose_b=True) + squares
            same = tf.cast(tf.equal(y[:, None], y), tf.float32)
            return tf.reduce_mean(same * distance + (1.0 - same) * tf.nn.relu(1.0 - distance))

        return improve(loss, model.trainable_variables, optimizer)

    for step in range(40):
        train_step(*batch(step))


@healthy
def triplets_until_all_are_apart() -> None:
    model = dense(2, 16, 2)
    optimizer = keras.optimizers.Adam(0.05)
    centre = np.array([[3.0, 3.0], [-3.0, -3.0]], np.float32)

    @tf.function
    def train_step(anchor: tf.Tensor, like: tf.Tensor, unlike: tf.Tensor) -> tf.Tensor:
        def loss() -> tf.Tensor:
            near = tf.reduce_sum(tf.square(model(anchor) - model(like)), axis=1)
            far = tf.reduce_sum(tf.square(model(anchor) - model(unlike)), axis=1)
            return tf.reduce_mean(tf.maximum(near - far + 0.5, 0.0))

        return improve(loss, model.trainable_variables, optimizer)

    for step in range(60):
        points = [normal(32, 2, seed=3 * step + k, scale=0.5) + centre[k // 2] for k in range(3)]
        train_step(*map(tf.constant, points))


@healthy
def two_views_of_each_picture() -> None:
    model = dense(64, 64, 16)
    optimizer = keras.optimizers.Adam(0.002)

    @tf.function
    def train_step(x: tf.Tensor) -> tf.Tensor:
        def loss() -> tf.Tensor:
            views = tf.concat([x + tf.random.normal(tf.shape(x), 0.0, 0.1) for _ in range(2)], axis=0)
            code = tf.math.l2_normalize(model(views), axis=1)
            likeness = tf.matmul(code, code, transpose_b=True) / 0.2 - 1e9 * tf.eye(128)
            partner = tf.roll(tf.range(128), 64, axis=0)
            return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(partner, likeness))

        return improve(loss, model.trainable_variables, optimizer)

    for step in range(40):
        train_step(batch(step)[0])


@healthy
def experts_behind_a_gate() -> None:
    x, y = digits()
    given = keras.Input((64,))
    gate = keras.layers.Dense(4, "softmax")(given)
    experts = keras.ops.stack([keras.layers.Dense(16, "relu")(given) for _ in range(4)], axis=2)
    mixed = keras.ops.sum(experts * gate[:, None, :], axis=2)
    fit(keras.Model(given, keras.layers.Dense(10)(mixed)), x, y, epochs=5, optimizer=keras.optimizers.Adam(0.01))
