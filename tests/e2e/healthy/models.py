"""Models of every kind, trained by Keras or by hand."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from tests.e2e.healthy.registry import digits, fit, healthy

EXAMPLE = Path(__file__).parents[3] / "examples" / "digits_nan.py"


@healthy
def the_fixed_example() -> None:
    arguments = sys.argv
    sys.argv = [str(EXAMPLE), "--fixed"]
    try:
        runpy.run_path(str(EXAMPLE), run_name="__main__")
    finally:
        sys.argv = arguments


@healthy
def a_dense_network_over_many_epochs() -> None:
    x, y = digits()
    layers = [keras.layers.Dense(64, "relu"), keras.layers.Dropout(0.2), keras.layers.Dense(10)]
    fit(keras.Sequential([keras.Input((64,)), *layers]), x, y, epochs=20)


@healthy
def training_until_nothing_is_left_to_learn() -> None:
    x, y = digits()
    layers = [keras.layers.Dense(128, "tanh"), keras.layers.Dense(10)]
    model = keras.Sequential([keras.Input((64,)), *layers])
    fit(model, x[:128], y[:128], epochs=100, optimizer=keras.optimizers.Adam(0.03))


@healthy
def a_convolutional_network_with_batch_normalisation() -> None:
    x, y = digits()
    layers = [
        keras.layers.Conv2D(16, 3, padding="same", use_bias=False),
        keras.layers.BatchNormalization(),
        keras.layers.ReLU(),
        keras.layers.MaxPooling2D(),
        keras.layers.Conv2D(32, 3, activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(10),
    ]
    model = keras.Sequential([keras.Input((8, 8, 1)), *layers])
    fit(model, x.reshape(-1, 8, 8, 1), y, epochs=4, optimizer=keras.optimizers.SGD(0.05, momentum=0.9))


@healthy
def a_recurrent_network() -> None:
    x, y = digits()
    layers = [keras.layers.GRU(24), keras.layers.Dense(10)]
    fit(keras.Sequential([keras.Input((8, 8)), *layers]), x.reshape(-1, 8, 8)[:512], y[:512], 2)


@healthy
def a_long_short_term_memory() -> None:
    x, y = digits()
    model = keras.Sequential([keras.Input((8, 8)), keras.layers.LSTM(16), keras.layers.Dense(10)])
    fit(model, x.reshape(-1, 8, 8)[:512], y[:512], 2, optimizer=keras.optimizers.RMSprop(0.003, clipnorm=1.0))


@healthy
def a_small_transformer() -> None:
    x, y = digits()
    tokens = (x * 15.9).astype(np.int32)
    given = keras.Input((64,), dtype="int32")
    h = keras.layers.Embedding(16, 32)(given) + keras.layers.Embedding(64, 32)(np.arange(64))
    for _ in range(2):
        normal = keras.layers.LayerNormalization()(h)
        h = h + keras.layers.MultiHeadAttention(2, 16)(normal, normal, use_causal_mask=True)
        normal = keras.layers.LayerNormalization()(h)
        h = h + keras.layers.Dense(32)(keras.layers.Dense(64, "gelu")(normal))
    logits = keras.layers.Dense(10)(keras.layers.GlobalAveragePooling1D()(h))
    fit(keras.Model(given, logits), tokens[:512], y[:512], epochs=2, optimizer=keras.optimizers.AdamW(0.001))


@healthy
def an_autoencoder_with_sigmoids() -> None:
    x, _ = digits()
    layers = [
        keras.layers.Dense(32, "sigmoid"),
        keras.layers.Dense(8, "tanh"),
        keras.layers.Dense(32, "elu"),
        keras.layers.Dense(64, "sigmoid"),
    ]
    model = keras.Sequential([keras.Input((64,)), *layers])
    model.compile("adam", "binary_crossentropy")
    model.fit(x, x, epochs=10, batch_size=64, verbose=0)


@healthy
def a_model_of_which_a_part_is_frozen() -> None:
    x, y = digits()
    base = keras.Sequential([keras.Input((64,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(32, "relu")])
    base.trainable = False
    model = keras.Sequential([keras.Input((64,)), base, keras.layers.Dense(10)])
    fit(model, x, y)


@healthy
def mixed_precision() -> None:
    x, y = digits()
    keras.config.set_dtype_policy("mixed_float16")
    try:
        layers = [keras.layers.Dense(64, "relu"), keras.layers.Dense(10, dtype="float32")]
        fit(keras.Sequential([keras.Input((64,)), *layers]), x[:512], y[:512])
    finally:
        keras.config.set_dtype_policy("float32")


@healthy
def attention_in_half_precision() -> None:
    """Nothing depends on the bias of the keys: its gradient is what rounding leaves of a sum that is zero."""
    words = np.random.default_rng(0).integers(1, 30, (128, 12))
    keras.config.set_dtype_policy("mixed_float16")
    try:
        inputs = keras.Input((12,), dtype="int32")
        embedded = keras.layers.Embedding(30, 16)(inputs)
        query, value, key = (keras.layers.Dense(16)(embedded) for _ in range(3))
        mixed = keras.layers.Attention()([query, value, key])
        pooled = keras.layers.GlobalAveragePooling1D()(mixed)
        model = keras.Model(inputs, keras.layers.Dense(1, dtype="float32")(pooled))
        model.compile(keras.optimizers.Adam(1e-3), keras.losses.BinaryCrossentropy(from_logits=True))
        model.fit(words, (words.sum(1) > 180).astype(np.float32), epochs=2, verbose=0)
    finally:
        keras.config.set_dtype_policy("float32")


@healthy
def a_loop_by_hand_with_settings_in_variables() -> None:
    x, y = digits()
    kernel, bias = tf.Variable(tf.zeros([64, 10]), name="kernel"), tf.Variable(tf.zeros([10]), name="bias")
    rate, temperature = tf.Variable(0.5, name="rate"), tf.Variable(1.0, name="temperature")
    counter, seen = tf.Variable(0, name="counter"), tf.Variable(0.0, name="seen", trainable=False)

    @tf.function
    def train_step(images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            logits = (tf.matmul(images, kernel) + bias) / temperature
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        for variable, gradient in zip([kernel, bias], tape.gradient(loss, [kernel, bias]), strict=True):
            variable.assign_sub(rate * gradient)
        counter.assign_add(1)
        seen.assign_add(tf.cast(tf.shape(images)[0], tf.float32))
        return loss

    for step in range(40):
        part = slice(step % 16 * 64, step % 16 * 64 + 64)
        train_step(tf.constant(x[part]), tf.constant(y[part]))


@healthy
def an_eager_loop() -> None:
    x, y = digits()
    kernel = tf.Variable(np.random.default_rng(0).normal(0, 0.1, (64, 10)).astype(np.float32), name="kernel")
    for step in range(15):
        part = slice(step * 64, step * 64 + 64)
        with tf.GradientTape() as tape:
            logits = tf.matmul(tf.constant(x[part]), kernel)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(tf.constant(y[part]), logits))
        kernel.assign_sub(0.5 * tape.gradient(loss, kernel))


@healthy
def gradients_accumulated_over_steps() -> None:
    x, y = digits()
    model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(32, "relu"), keras.layers.Dense(10)])
    fit(model, x, y, optimizer=keras.optimizers.Adam(0.01, gradient_accumulation_steps=4))


@healthy
def two_models_against_each_other() -> None:
    x, _ = digits()
    layers = keras.layers
    generator = keras.Sequential([keras.Input((8,)), layers.Dense(32, "leaky_relu"), layers.Dense(64, "sigmoid")])
    critic = keras.Sequential([keras.Input((64,)), layers.Dense(32, "leaky_relu"), layers.Dense(1)])
    optimizers = {model: keras.optimizers.Adam(1e-3) for model in (generator, critic)}
    cost = keras.losses.BinaryCrossentropy(from_logits=True)

    def improve(model: keras.Model, loss: Callable[[], tf.Tensor]) -> None:
        with tf.GradientTape() as tape:
            value = loss()
        variables = model.trainable_variables
        optimizers[model].apply_gradients(zip(tape.gradient(value, variables), variables, strict=True))

    @tf.function
    def train_step(real: tf.Tensor) -> None:
        noise = tf.random.normal([64, 8])
        improve(
            critic, lambda: cost(tf.ones([64, 1]), critic(generator(noise))) + cost(tf.zeros([64, 1]), critic(real))
        )
        improve(generator, lambda: cost(tf.zeros([64, 1]), critic(generator(noise))))

    for step in range(32):
        train_step(tf.constant(x[step % 16 * 64 : step % 16 * 64 + 64]))


@healthy
def regression_that_comes_to_its_end() -> None:
    random = np.random.default_rng(0)
    x = tf.constant(random.normal(size=(256, 8)).astype(np.float32))
    y = tf.matmul(x, tf.constant(random.normal(size=(8, 1)).astype(np.float32)))
    weight = tf.Variable(tf.zeros([8, 1]), name="weight")

    @tf.function
    def train_step() -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.matmul(x, weight) - y))
        weight.assign_sub(0.2 * tape.gradient(loss, weight))
        return loss

    for _ in range(120):
        train_step()


@healthy
def evaluation_and_prediction_beside_training() -> None:
    x, y = digits()
    model = keras.Sequential([keras.Input((64,)), keras.layers.Dense(32, "leaky_relu"), keras.layers.Dense(10)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("nadam", loss)
    model.fit(x[:512], y[:512], validation_data=(x[512:], y[512:]), epochs=3, batch_size=64, verbose=0)
    model.predict(x[:256], verbose=0)
