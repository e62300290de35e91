"""Models that are trained against each other."""

from __future__ import annotations

import keras
import tensorflow as tf

from tests.e2e.healthy.registry import batch, dense, healthy, improve


@healthy
def a_wasserstein_critic_with_a_penalty_on_its_gradient() -> None:
    generator, critic = dense(8, 32, 64, last="sigmoid"), dense(64, 32, 32, 1, activation="leaky_relu")
    optimizers = [keras.optimizers.Adam(1e-3, beta_1=0.5) for _ in range(2)]

    def critic_loss(real: tf.Tensor) -> tf.Tensor:
        fake = generator(tf.random.normal([64, 8]))
        mixed = real + tf.random.uniform([64, 1]) * (fake - real)
        with tf.GradientTape() as tape:
            tape.watch(mixed)
            score = critic(mixed)
        norm = tf.sqrt(tf.reduce_sum(tf.square(tape.gradient(score, mixed)), axis=1) + 1e-12)
        distance = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real))
        return distance + 10.0 * tf.reduce_mean(tf.square(norm - 1.0))

    @tf.function
    def train_step(real: tf.Tensor) -> None:
        for _ in range(3):
            improve(lambda: critic_loss(real), critic.trainable_variables, optimizers[0])
        improve(
            lambda: -tf.reduce_mean(critic(generator(tf.random.normal([64, 8])))),
            generator.trainable_variables,
            optimizers[1],
        )

    for step in range(40):
        train_step(batch(step)[0])


@healthy
def a_wasserstein_critic_whose_weights_are_clipped() -> None:
    generator, critic = dense(8, 32, 64, last="sigmoid"), dense(64, 32, 1)
    of_critic, of_generator = keras.optimizers.RMSprop(5e-4), keras.optimizers.RMSprop(5e-4)

    @tf.function
    def train_critic(real: tf.Tensor) -> None:
        both = tf.concat([real, generator(tf.random.normal([64, 8]))], axis=0)
        sign = tf.concat([-tf.ones([64, 1]), tf.ones([64, 1])], axis=0)
        improve(lambda: tf.reduce_mean(sign * critic(both)), critic.trainable_variables, of_critic)
        for weight in critic.trainable_variables:
            weight.assign(tf.clip_by_value(weight, -0.1, 0.1))

    @tf.function
    def train_generator() -> None:
        noise = tf.random.normal([64, 8])
        improve(lambda: -tf.reduce_mean(critic(generator(noise))), generator.trainable_variables, of_generator)

    for step in range(40):
        train_critic(batch(step)[0])
        if step % 2:
            train_generator()


@healthy
def a_least_squares_game_played_eagerly() -> None:
    generator, judge = dense(2, 8, 2), dense(2, 8, 1, activation="tanh")
    optimizers = [keras.optimizers.SGD(0.05) for _ in range(2)]
    for step in range(25):
        real = tf.random.stateless_normal([32, 2], [step, 1]) * 0.5 + 2.0
        noise = tf.random.stateless_normal([32, 2], [step, 2])
        improve(
            lambda real=real, noise=noise: (
                tf.reduce_mean(tf.square(judge(real) - 1.0)) + tf.reduce_mean(tf.square(judge(generator(noise))))
            ),
            judge.trainable_variables,
            optimizers[0],
        )
        improve(
            lambda noise=noise: tf.reduce_mean(tf.square(judge(generator(noise)) - 1.0)),
            generator.trainable_variables,
            optimizers[1],
        )
