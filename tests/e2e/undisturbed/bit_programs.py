"""Small programs of many kinds; writes the losses and weights of each into a file, to be compared to the bit."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import layers

Numbers = list[Any]
Program = Callable[[], Numbers]

RANDOM = np.random.default_rng(0)
VECTORS, SEQUENCES, IMAGES, TARGETS = (
    RANDOM.normal(size=shape).astype(np.float32) for shape in ((32, 16), (32, 7, 5), (32, 8, 8, 3), (32, 1))
)
CLASSES = RANDOM.integers(0, 3, 32)
WORDS = RANDOM.integers(0, 20, (32, 7))


def fit(x: Any, *stack: Callable[[], Any], y: Any = TARGETS, loss: str = "mse", optimizer: str = "adam") -> Numbers:
    """Trains a model of these layers, each with a function that makes it."""
    model = keras.Sequential([keras.Input(x.shape[1:], dtype=x.dtype), *(make() for make in stack)])
    model.compile(optimizer, loss)
    history = model.fit(x, y, batch_size=16, epochs=1, verbose=0, shuffle=False)
    return [np.array(history.history["loss"]), *model.get_weights()]


def dense(*activations: str, optimizer: str = "adam") -> Numbers:
    """Trains a stack of dense layers with these activations."""
    return fit(
        VECTORS, *(lambda a=a: layers.Dense(8, a) for a in activations), lambda: layers.Dense(1), optimizer=optimizer
    )


def classifier() -> Numbers:
    """Dropout, a normalization and a softmax."""
    return fit(
        VECTORS,
        lambda: layers.Dense(8, "relu"),
        lambda: layers.Dropout(0.3),
        layers.LayerNormalization,
        lambda: layers.Dense(3, "softmax"),
        y=CLASSES,
        loss="sparse_categorical_crossentropy",
        optimizer="sgd",
    )


def convolution() -> Numbers:
    """With the rectifier that is fused."""
    return fit(
        IMAGES,
        lambda: layers.Conv2D(4, 3, activation="relu"),
        layers.MaxPooling2D,
        layers.Flatten,
        lambda: layers.Dense(1),
    )


def normalized() -> Numbers:
    """A convolution, a batch normalization and a rectifier."""
    return fit(
        IMAGES,
        lambda: layers.Conv2D(4, 3, use_bias=False),
        layers.BatchNormalization,
        layers.ReLU,
        layers.Flatten,
        lambda: layers.Dense(1),
        optimizer="sgd",
    )


def recurrent(make: Callable[[], Any]) -> Numbers:
    """Trains a recurrent layer."""
    return fit(SEQUENCES, make, lambda: layers.Dense(1))


def embedded() -> Numbers:
    """Words."""
    return fit(WORDS, lambda: layers.Embedding(20, 4), lambda: layers.LSTM(4), lambda: layers.Dense(1))


@contextlib.contextmanager
def policy(name: str) -> Any:
    """Layers compute in another type."""
    keras.config.set_dtype_policy(name)
    try:
        yield
    finally:
        keras.config.set_dtype_policy("float32")


def mixed(name: str, activation: str) -> Numbers:
    """Dense layers that compute in half precision."""
    with policy(name):
        return dense(activation)


def mirrored() -> Numbers:
    """Two replicas that add up their gradients."""
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        return dense("relu")


def attention() -> Numbers:
    """A block of a transformer."""
    given = keras.Input((7, 5))
    hidden = layers.LayerNormalization()(layers.MultiHeadAttention(2, 4)(given, given) + given)
    model = keras.Model(given, layers.Dense(1)(layers.GlobalAveragePooling1D()(hidden)))
    model.compile("sgd", "mse")  # Adam would scale up the keys' bias's gradient, which is rounding alone
    history = model.fit(SEQUENCES, TARGETS, batch_size=16, epochs=1, verbose=0, shuffle=False)
    return [np.array(history.history["loss"]), *model.get_weights()]


def custom_loop() -> Numbers:
    """A tf.function of one's own with a loop in Python's words, which AutoGraph makes a While."""
    weight, optimizer = tf.Variable(VECTORS[:16, :16] * 0.3), keras.optimizers.SGD(0.1)

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            hidden = x
            for _ in tf.range(4):
                hidden = tf.tanh(tf.matmul(hidden, weight)) + 0.1 * hidden
            loss = tf.reduce_mean(tf.square(hidden))
        optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
        return loss

    return [*(step(tf.constant(VECTORS)) for _ in range(3)), weight]


def while_loop() -> Numbers:
    """A loop over a tensor."""

    @tf.function
    def turns(x: tf.Tensor) -> Any:
        return tf.while_loop(lambda i, _: i < 5, lambda i, a: (i + 1, tf.sin(a) * 1.1 - tf.square(a)), (0, x))[1]

    return [turns(tf.constant(VECTORS))]


def eager() -> Numbers:
    """No function at all."""
    weight, losses = tf.Variable(VECTORS[:16, :16]), []
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.gelu(tf.matmul(VECTORS, weight) + 0.1))
        weight.assign_sub(0.1 * tape.gradient(loss, weight))
        losses.append(loss)
    return [*losses, weight]


def reordered() -> Numbers:
    """Arithmetic with constants, which TensorFlow adds up first where nobody looks."""

    @tf.function
    def shifted(x: tf.Tensor) -> tf.Tensor:
        return tf.square((x + 0.1) + 0.7) * 0.3

    return [shifted(tf.constant(VECTORS))]


EQUAL: dict[str, Program] = {
    "dense, relu, Adam": lambda: dense("relu"),
    "convolution, relu, pooling": convolution,
    "convolution, batch normalization": normalized,
    "embedding, LSTM": embedded,
    "GRU": lambda: recurrent(lambda: layers.GRU(8)),
    "MirroredStrategy, two replicas": mirrored,
    "custom loop": custom_loop,
    "while_loop": while_loop,
    "eager": eager,
}

OTHERWISE: dict[str, Program] = {
    "dense, tanh": lambda: dense("tanh"),
    "dense, sigmoid, gelu": lambda: dense("sigmoid", "gelu"),
    "SimpleRNN": lambda: recurrent(lambda: layers.SimpleRNN(4)),
    "mixed_float16, relu": lambda: mixed("mixed_float16", "relu"),
    "mixed_float16, gelu": lambda: mixed("mixed_float16", "gelu"),
    "mixed_bfloat16, relu": lambda: mixed("mixed_bfloat16", "relu"),
    "dense, relu, RMSprop": lambda: dense("relu", optimizer="rmsprop"),
    "dropout, layer normalization, softmax": classifier,
    "LSTM, recurrent dropout": lambda: recurrent(lambda: layers.LSTM(8, recurrent_dropout=0.2)),
    "attention": attention,
    "reordered": reordered,
}
"""What TensorFlow fuses or reorders where nobody looks."""


def main() -> None:
    """Runs all programs, or with names of passes of Grappler, which are switched off, what these change."""
    written, *without = sys.argv[1:]
    tf.config.optimizer.set_experimental_options(dict.fromkeys(without, False))
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    found = {}
    for name, program in (OTHERWISE if without else EQUAL | OTHERWISE).items():
        keras.utils.set_random_seed(1)
        found.update({f"{name}/{i}": np.asarray(each) for i, each in enumerate(program())})
        keras.backend.clear_session()
        gc.collect()
    np.savez(written, **found)


if __name__ == "__main__":
    main()
