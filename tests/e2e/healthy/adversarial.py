"""Models that are trained against each other."""

from __future__ import annotations

import keras
import tensorflow as tf

from tests.e2e.healthy.registry import batch, dense, digits, fit, healthy, improve


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


@healthy
def a_model_that_is_fitted_and_then_fooled() -> None:
    model, (x, y) = dense(64, 32, 10), digits()
    fit(model, x, y, epochs=1)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    everywhere, optimizer = tf.Variable(tf.zeros([64]), name="everywhere"), keras.optimizers.SGD(0.1)

    @tf.function
    def change(pictures: tf.Tensor, labels: tf.Tensor, begin: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(pictures)
            value = loss(labels, model(pictures))
        further = pictures + 0.01 * tf.sign(tape.gradient(value, pictures))
        return tf.clip_by_value(further, begin - 0.1, begin + 0.1)

    @tf.function
    def change_everywhere(pictures: tf.Tensor, labels: tf.Tensor) -> None:
        improve(lambda: -loss(labels, model(pictures + everywhere)), [everywhere], optimizer)

    pictures, labels = batch(0)
    changed = pictures
    for step in range(24):
        changed = change(changed, labels, pictures)
        change_everywhere(*batch(step))


@healthy
def a_network_for_features_that_nobody_froze() -> None:
    maker, features = dense(16, 32, 64, last="sigmoid"), dense(64, 16, 8)
    optimizer = keras.optimizers.Adam(1e-2)

    @tf.function
    def train_step(real: tf.Tensor) -> tf.Tensor:
        def loss() -> tf.Tensor:
            made = maker(real[:, ::4])
            return tf.reduce_mean(tf.square(features(made) - features(real))) + tf.reduce_mean(tf.square(made - real))

        return improve(loss, maker.trainable_variables, optimizer)

    for step in range(16):
        train_step(batch(step)[0])


@healthy
def an_encoder_that_hides_what_a_classifier_looks_for() -> None:
    encoder, classifier = dense(64, 16), dense(16, 10)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizers = [keras.optimizers.Adam(1e-3) for _ in range(2)]

    @tf.function
    def tell(x: tf.Tensor, y: tf.Tensor) -> None:
        improve(lambda: loss(y, classifier(encoder(x))), classifier.trainable_variables, optimizers[0])

    @tf.function
    def hide(x: tf.Tensor, y: tf.Tensor) -> None:
        improve(lambda: -loss(y, classifier(encoder(x))), encoder.trainable_variables, optimizers[1])

    x, y = batch(0)
    for _ in range(30):
        tell(x, y)
        hide(x, y)
