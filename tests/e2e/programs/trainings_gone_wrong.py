"""Trainings that go wrong by themselves after hundreds of steps, each as Keras `fit` and as a loop, with a trap.

    python trainings_gone_wrong.py FOLDER

For each a line is printed: its name, the step at which it went wrong, and whether the weights are then, bit for bit,
those of the same training without a trap that ends before that step.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

import tensordbg
from tensordbg.capture.reader import open_capture

BATCH = 4


@dataclass
class Training:
    """What is trained, on what."""

    model: Any
    loss: Callable[[Any, Any], Any]
    optimizer: Any
    data: Any


def dense(units: int, **options: Any) -> Any:
    return keras.layers.Dense(units, **options)


def shuffled(*arrays: np.ndarray) -> Any:
    """A pipeline that comes out the same each time."""
    data = tf.data.Dataset.from_tensor_slices(arrays)
    return data.shuffle(4000, seed=1, reshuffle_each_iteration=False).batch(BATCH, drop_remainder=True)


def rare_sample() -> Training:
    """One sample of 2400 is all zeros, which can't be brought to the length 1."""
    x = np.random.default_rng(0).normal(size=(2400, 5)).astype(np.float32)
    x[335] = 0.0
    length = keras.layers.Lambda(lambda x: x / tf.norm(x, axis=1, keepdims=True))
    model = keras.Sequential([keras.Input((5,)), length, dense(4, activation="tanh"), dense(1)])
    return Training(
        model, lambda y, out: tf.reduce_mean((y - out) ** 2), keras.optimizers.Adam(), shuffled(x, x[:, :1])
    )


def exploding_step() -> Training:
    """The learning rate is a little too large, so the weight swings more and more."""
    x = np.random.default_rng(0).choice([-1.0, 1.0], size=(4000, 1)).astype(np.float32)
    model = keras.Sequential([keras.Input((1,)), dense(1, use_bias=False)])
    return Training(model, lambda y, out: tf.reduce_mean((y - out) ** 2), keras.optimizers.SGD(1.05), shuffled(x, x))


def half_precision() -> Training:
    """The logits of a net in half precision grow on and on, until one is larger than half precision has numbers."""
    x = np.abs(np.random.default_rng(0).normal(size=(4000, 3))).astype(np.float32)
    model = keras.Sequential([keras.Input((3,)), dense(1, dtype="mixed_float16", use_bias=False)])
    return Training(
        model,
        lambda y, out: -tf.reduce_mean(tf.cast(out, tf.float32)),
        keras.optimizers.SGD(60.0),
        shuffled(x, x[:, :1]),
    )


def log_of_zero() -> Training:
    """The net is surer from step to step, until it gives a class the probability 1, and so the other one 0."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, (4000, 1)).astype(np.float32)
    x = random.normal(size=(4000, 2)).astype(np.float32) + 3.0 * (2.0 * y - 1.0)
    model = keras.Sequential([keras.Input((2,)), dense(1, activation="sigmoid")])
    return Training(
        model,
        lambda y, out: -tf.reduce_mean(y * tf.math.log(out) + (1.0 - y) * tf.math.log(1.0 - out)),
        keras.optimizers.Adam(0.05),
        shuffled(x, y),
    )


def fit(training: Training, data: Any) -> None:
    training.model.compile(training.optimizer, training.loss, jit_compile=False)
    training.model.fit(data, verbose=0)


def loop(training: Training, data: Any) -> None:
    weights = training.model.trainable_variables
    training.optimizer.build(weights)

    @tf.function
    def train_step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = training.loss(y, training.model(x, training=True))
        training.optimizer.apply(tape.gradient(loss, weights), weights)
        return loss

    for x, y in data:
        train_step(x, y)


def weights_of(training: Training) -> list[bytes]:
    return [np.asarray(each).tobytes() for each in (*training.model.variables, *training.optimizer.variables)]


def made(make: Callable[[], Training]) -> Training:
    keras.utils.set_random_seed(7)
    return make()


def main(folder: Path) -> Iterator[str]:
    for make in (rare_sample, exploding_step, half_precision, log_of_zero):
        for train in (fit, loop):
            name = f"{make.__name__}-{train.__name__}"
            training = made(make)
            with tensordbg.trap(folder / name) as trap, contextlib.suppress(tf.errors.InvalidArgumentError):
                train(training, training.data)
            step = open_capture(trap.captures[0]).header.step
            without = made(make)
            train(without, without.data.take(step))
            yield f"{name} {step} {weights_of(training) == weights_of(without)}"


if __name__ == "__main__":
    for line in main(Path(sys.argv[1])):
        print(line, flush=True)
