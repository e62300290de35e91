"""Training steps of several kinds. Each function builds its model anew and returns the step."""

from __future__ import annotations

from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

Step = Callable[[], object]


def _trained(model: keras.Model, x: tf.Tensor, y: tf.Tensor) -> Step:
    """A step of plain training in one tf.function."""
    optimizer = keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)

    @tf.function
    def train_step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
        optimizer.apply(tape.gradient(loss, model.trainable_variables))
        return loss

    return lambda: train_step(x, y)


def mlp() -> Step:
    """Two layers, 784-256-10, a batch of 128: about 2 ms."""
    model = keras.Sequential([keras.Input((784,)), keras.layers.Dense(256, "relu"), keras.layers.Dense(10)])
    return _trained(model, tf.random.normal([128, 784]), tf.random.normal([128, 10]))


class Block(keras.layers.Layer):
    """One block of a transformer."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.attention = keras.layers.MultiHeadAttention(8, width // 8)
        self.first_norm, self.second_norm = keras.layers.LayerNormalization(), keras.layers.LayerNormalization()
        self.wide, self.narrow = keras.layers.Dense(4 * width, "gelu"), keras.layers.Dense(width)

    def call(self, x: tf.Tensor) -> tf.Tensor:
        """Attention, then two dense layers, each with a shortcut."""
        normal = self.first_norm(x)
        x = x + self.attention(normal, normal)
        return x + self.narrow(self.wide(self.second_norm(x)))


def transformer() -> Step:
    """Two transformer blocks of width 256 on 8 sequences of 64."""
    model = keras.Sequential([keras.Input((64, 256)), Block(256), Block(256), keras.layers.Dense(10)])
    return _trained(model, tf.random.normal([8, 64, 256]), tf.random.normal([8, 64, 10]))


def convolution() -> Step:
    """Three convolutions with batch normalization on 32 images of 32 by 32."""
    layers: list[object] = [keras.Input((32, 32, 3))]
    for channels in (32, 64, 64):
        layers += [keras.layers.Conv2D(channels, 3, strides=2, padding="same"), keras.layers.BatchNormalization()]
        layers += [keras.layers.ReLU()]
    layers += [keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(10)]
    return _trained(keras.Sequential(layers), tf.random.normal([32, 32, 32, 3]), tf.random.normal([32, 10]))


def eager() -> Step:
    """A hundred small eager operations."""
    x = tf.ones([64])

    def run() -> None:
        for _ in range(100):
            tf.sin(x)

    return run


def keras_fit() -> Step:
    """An epoch of 40 batches in Keras."""
    model = keras.Sequential([keras.Input((784,)), keras.layers.Dense(256, "relu"), keras.layers.Dense(10, "softmax")])
    model.compile("adam", "sparse_categorical_crossentropy")
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(40 * 64, 784)).astype(np.float32), generator.integers(0, 10, 40 * 64)
    return lambda: model.fit(x, y, batch_size=64, epochs=1, verbose=0)


PROGRAMS: dict[str, Callable[[], Step]] = {
    "mlp": mlp,
    "transformer": transformer,
    "convolution": convolution,
    "eager": eager,
    "keras fit": keras_fit,
}
