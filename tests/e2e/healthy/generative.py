"""Models of how data came about."""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from tests.e2e.healthy.registry import batch, dense, digits, healthy, improve, normal


@healthy
def a_variational_autoencoder() -> None:
    encoder, decoder = dense(64, 64, 16), dense(8, 64, 64)
    optimizer = keras.optimizers.Adam(2e-3)
    variables = [*encoder.trainable_variables, *decoder.trainable_variables]

    def loss(x: tf.Tensor) -> tf.Tensor:
        mean, log_variance = tf.split(encoder(x), 2, axis=1)
        code = mean + tf.exp(0.5 * log_variance) * tf.random.normal(tf.shape(mean))
        reconstruction = tf.nn.sigmoid_cross_entropy_with_logits(x, decoder(code))
        divergence = -0.5 * tf.reduce_sum(1 + log_variance - tf.square(mean) - tf.exp(log_variance), axis=1)
        return tf.reduce_mean(tf.reduce_sum(reconstruction, axis=1) + divergence)

    train_step = tf.function(lambda x: improve(lambda: loss(x), variables, optimizer))
    for step in range(60):
        train_step(batch(step)[0])


@healthy
def a_denoising_autoencoder_of_convolutions() -> None:
    x = digits()[0][:512].reshape(-1, 8, 8, 1)
    model = keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            keras.layers.GaussianNoise(0.2),
            keras.layers.Conv2D(8, 3, 2, "same", activation="relu"),
            keras.layers.Conv2DTranspose(8, 3, 2, "same", activation="relu"),
            keras.layers.Conv2D(1, 3, padding="same", activation="sigmoid"),
        ]
    )
    model.compile(keras.optimizers.Adam(3e-3), "binary_crossentropy")
    model.fit(x, x, epochs=4, batch_size=64, verbose=0)


@healthy
def a_density_of_several_bells() -> None:
    model = dense(1, 16, 9, activation="tanh")
    optimizer = keras.optimizers.Adam(0.01)
    x = np.random.default_rng(0).uniform(-1, 1, (256, 1)).astype(np.float32)
    y = tf.constant(np.sin(3 * x) + normal(256, 1, scale=0.1))

    @tf.function
    def train_step() -> tf.Tensor:
        def loss() -> tf.Tensor:
            logits, mean, spread = tf.split(model(x), 3, axis=1)
            spread = tf.nn.softplus(spread) + 1e-3
            density = -0.5 * tf.square((y - mean) / spread) - tf.math.log(spread)
            return -tf.reduce_mean(tf.reduce_logsumexp(tf.nn.log_softmax(logits) + density, axis=1))

        return improve(loss, model.trainable_variables, optimizer)

    for _ in range(150):
        train_step()


@healthy
def an_affine_flow_whose_loss_falls_below_zero() -> None:
    shift, log_scale = tf.Variable(tf.zeros(4), name="shift"), tf.Variable(tf.zeros(4), name="log_scale")
    optimizer = keras.optimizers.Adam(0.05)

    @tf.function
    def train_step(x: tf.Tensor) -> tf.Tensor:
        def loss() -> tf.Tensor:
            z = (x - shift) * tf.exp(-log_scale)
            return tf.reduce_mean(tf.reduce_sum(0.5 * tf.square(z) + log_scale, axis=1))

        return improve(loss, [shift, log_scale], optimizer)

    for step in range(120):
        train_step(tf.constant(normal(64, 4, seed=step, scale=0.1) + 1.0))


@healthy
def a_picture_that_is_optimized_itself() -> None:
    network = dense(64, 32, 8)
    target = network(digits()[0][:1])
    picture = tf.Variable(tf.random.stateless_uniform([1, 64], [1, 2]), name="picture")
    optimizer = keras.optimizers.Adam(0.05)

    @tf.function
    def train_step() -> tf.Tensor:
        def loss() -> tf.Tensor:
            square = tf.reshape(picture, [1, 8, 8, 1])
            return tf.reduce_mean(tf.square(network(picture) - target)) + 1e-4 * tf.reduce_sum(
                tf.image.total_variation(square)
            )

        value = improve(loss, [picture], optimizer)
        picture.assign(tf.clip_by_value(picture, 0.0, 1.0))
        return value

    for _ in range(50):
        train_step()


@healthy
def a_picture_in_the_style_of_another() -> None:
    network = keras.Sequential(
        [
            keras.Input((16, 16, 3)),
            keras.layers.Conv2D(8, 3, activation="relu"),
            keras.layers.Conv2D(8, 3, activation="relu"),
        ]
    )
    style, content = (tf.random.stateless_uniform([1, 16, 16, 3], [seed, 2]) for seed in (1, 2))

    def gram(seen: tf.Tensor) -> tf.Tensor:
        return tf.linalg.einsum("bijc,bijd->bcd", seen, seen) / 144.0

    wanted, target = gram(network(style)), network(content)
    picture = tf.Variable(content, name="picture")
    optimizer = keras.optimizers.Adam(0.02, beta_1=0.99, epsilon=0.1)

    @tf.function
    def train_step() -> tf.Tensor:
        def loss() -> tf.Tensor:
            seen = network(picture)
            rough = tf.reduce_mean(tf.image.total_variation(picture))
            return tf.reduce_mean((gram(seen) - wanted) ** 2) + tf.reduce_mean((seen - target) ** 2) + 1e-4 * rough

        value = improve(loss, [picture], optimizer)
        picture.assign(tf.clip_by_value(picture, 0.0, 1.0))
        return value

    for _ in range(30):
        train_step()


@healthy
def a_gaussian_process_in_float64_eagerly() -> None:
    x = np.sort(normal(40, 1, scale=2.0), axis=0).astype(np.float64)
    y = np.sin(x) + 0.1 * normal(40, 1, seed=1)
    raw = tf.Variable(tf.zeros([3], tf.float64))
    optimizer = keras.optimizers.Adam(0.05)

    def loss() -> tf.Tensor:
        length, scale, noise = tf.unstack(tf.nn.softplus(raw))
        kernel = scale * tf.exp(-0.5 * (x - x.T) ** 2 / length**2) + (noise**2 + 1e-6) * tf.eye(40, dtype=tf.float64)
        root = tf.linalg.cholesky(kernel)
        fit = 0.5 * tf.reduce_sum(y * tf.linalg.cholesky_solve(root, y))
        return fit + tf.reduce_sum(tf.math.log(tf.linalg.diag_part(root)))

    for _ in range(30):
        improve(loss, [raw], optimizer)


@healthy
def a_student_of_a_softened_teacher_eagerly() -> None:
    teacher, student = dense(64, 32, 10), dense(64, 16, 10)
    x, _ = digits()
    optimizer = keras.optimizers.Adam(3e-3)
    for step in range(40):
        part = x[step % 8 * 64 : step % 8 * 64 + 64]
        soft = tf.nn.softmax(teacher(part) / 2.0)
        improve(
            lambda part=part, soft=soft: tf.reduce_mean(  # type: ignore[misc]
                tf.nn.softmax_cross_entropy_with_logits(soft, student(part) / 2.0)
            ),
            student.trainable_variables,
            optimizer,
        )
