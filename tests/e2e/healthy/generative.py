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
