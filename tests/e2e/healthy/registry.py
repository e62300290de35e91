"""The list of healthy programs, and the data that they learn from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import keras
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

Program = Callable[[], object]
PROGRAMS: list[Program] = []


def healthy(program: Program) -> Program:
    """Enters a program into the list."""
    PROGRAMS.append(program)
    return program


@cache
def digits() -> tuple[np.ndarray, np.ndarray]:
    """1,024 pictures of 64 points from 0 to 1, with their digits."""
    data = load_digits()
    return (data.data / 16.0).astype(np.float32)[:1024], data.target[:1024].astype(np.int32)


def batch(step: int, size: int = 64) -> tuple[tf.Tensor, tf.Tensor]:
    """One batch of the digits, round and round."""
    x, y = digits()
    begin = step * size % len(x)
    return tf.constant(x[begin : begin + size]), tf.constant(y[begin : begin + size])


def normal(*shape: int, seed: int = 0, scale: float = 1.0) -> np.ndarray:
    """Random numbers, the same each time."""
    return np.random.default_rng(seed).normal(0.0, scale, shape).astype(np.float32)


def fit(model: keras.Model, x: np.ndarray, y: np.ndarray, epochs: int = 3, optimizer: object = "adam") -> None:
    """Trains a classifier by Keras."""
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, metrics=["accuracy"])
    model.fit(x, y, epochs=epochs, batch_size=64, verbose=0)


def dense(*widths: int, activation: str = "relu", last: str | None = None) -> keras.Sequential:
    """A network of fully connected layers: the width of the input, those of the layers."""
    layers = [keras.layers.Dense(width, activation) for width in widths[1:-1]]
    return keras.Sequential([keras.Input((widths[0],)), *layers, keras.layers.Dense(widths[-1], last)])


def improve(
    loss: Callable[[], tf.Tensor], variables: Sequence[tf.Variable], optimizer: keras.optimizers.Optimizer
) -> tf.Tensor:
    """One step of an optimizer."""
    with tf.GradientTape() as tape:
        value = loss()
    optimizer.apply_gradients(zip(tape.gradient(value, variables), variables, strict=True))
    return value
