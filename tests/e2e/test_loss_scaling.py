"""Real programs in half precision: what the loss scale catches is harmless, what it can't catch or end is not."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.wire.why import why_to_json

ROWS = np.random.default_rng(0).random((32, 4), dtype=np.float32)
LABELS = ROWS.sum(axis=1, keepdims=True)
CAUGHT = "the loss scale caught it: the step was skipped"


@contextlib.contextmanager
def half_precision() -> Iterator[None]:
    """Keras computes in half precision, and begins from the same weights each time."""
    keras.utils.set_random_seed(3)
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        yield
    finally:
        keras.mixed_precision.set_global_policy("float32")


@pytest.fixture(autouse=True)
def in_half_precision() -> Iterator[None]:
    with half_precision():
        yield


def origins_of(program: Callable[[], object], folder: Path) -> list[dict[str, Any]]:
    with tensordbg.record(folder) as recording:
        program()
    found: list[dict[str, Any]] = why_to_json(tensordbg.open(recording.path).why())["origins"]
    return found


def train(scale: float, epochs: int, last: Callable[[Any], Any] | None = None, eagerly: bool = False) -> None:
    """Trains a small model whose loss scale begins with `scale`."""
    layers = [keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)]
    model = keras.Sequential([*layers, *([keras.layers.Activation(last)] if last else [])])
    optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(0.01), initial_scale=scale)
    model.compile(optimizer, "mse", run_eagerly=eagerly, jit_compile=False)
    model.fit(ROWS, LABELS, batch_size=8, epochs=epochs, verbose=0)


def test_keras_whose_first_steps_overflow(tmp_path: Path) -> None:
    origins = origins_of(lambda: train(2.0**30, 10), tmp_path / "trace")
    assert origins
    assert {(origin["consequential"], origin["caught"]) for origin in origins} == {(False, CAUGHT)}
    text = tensordbg.open(tmp_path / "trace").why()
    assert text.status == "non_finite"


def test_keras_that_never_stops_to_overflow(tmp_path: Path) -> None:
    origins = origins_of(lambda: train(2.0**120, 2), tmp_path / "trace")
    assert origins[0]["consequential"]
    assert {origin["caught"] for origin in origins} == {None}


def log_of_zero(x: Any) -> Any:
    return tf.math.log(x * 0.0)  # HERE


def test_logarithm_of_zero_in_keras(tmp_path: Path) -> None:
    origins = origins_of(lambda: train(2.0**15, 2, log_of_zero), tmp_path / "trace")
    assert (origins[0]["cause"], origins[0]["consequential"]) == ("log_of_zero", True)
    assert "# HERE" in origins[0]["source"]["text"]


def by_hand(scale: float, steps: int, function: Callable[[Any], Any] = tf.function) -> None:
    """Scales the loss and skips the step where a gradient is not finite, in a function or line by line."""
    kernel, factor = tf.Variable(np.ones((4, 1), np.float32)), tf.Variable(scale)

    @function
    def step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            out = tf.matmul(tf.cast(x, tf.float16), tf.cast(kernel, tf.float16))
            loss = tf.reduce_mean(tf.square(tf.cast(out, tf.float32) - y))
            scaled = loss * factor
        gradient = tape.gradient(scaled, kernel)
        if tf.reduce_all(tf.math.is_finite(gradient)):
            kernel.assign_sub(0.01 * gradient / factor)
        else:
            factor.assign(factor / 2.0)
        return loss

    for _ in range(steps):
        step(tf.constant(ROWS[:8]), tf.constant(LABELS[:8] + 1.0))


@pytest.mark.parametrize("function", [tf.function, lambda plain: plain], ids=["graph", "eager"])
def test_a_loop_written_by_hand(tmp_path: Path, function: Callable[[Any], Any]) -> None:
    origins = origins_of(lambda: by_hand(2.0**20, 20, function), tmp_path / "trace")
    assert origins
    assert {origin["consequential"] for origin in origins} == {False}
    assert all("caught it: the step was skipped" in origin["caught"] for origin in origins)


@pytest.mark.parametrize("function", [tf.function, lambda plain: plain], ids=["graph", "eager"])
def test_a_loop_written_by_hand_that_never_stops_to_overflow(tmp_path: Path, function: Callable[[Any], Any]) -> None:
    origins = origins_of(lambda: by_hand(2.0**100, 12, function), tmp_path / "trace")
    assert origins[0]["consequential"]


def applied_all_the_same() -> None:
    kernel = tf.Variable([[1.0]])

    @tf.function
    def step(scale: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            out = tf.cast(kernel, tf.float16) * 2.0
            loss = tf.reduce_sum(tf.cast(out, tf.float32)) * scale
        gradient = tape.gradient(loss, kernel)
        tf.debugging.Assert(True, [tf.math.is_finite(gradient)])
        kernel.assign_sub(gradient / scale)

    for scale in (1.0, 1e6, 1.0):
        step(tf.constant(scale))


def test_a_gradient_that_is_tested_but_applied_all_the_same(tmp_path: Path) -> None:
    origins = origins_of(applied_all_the_same, tmp_path / "trace")
    assert "variable" in origins[0]["reaches"]
    assert (origins[0]["consequential"], origins[0]["caught"]) == (True, None)


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


PROGRAMS = {
    "never_stops_in_keras": partial(train, 2.0**120, 2),
    "never_stops_in_keras_eagerly": partial(train, 2.0**120, 2, eagerly=True),
    "log_of_zero_in_keras": partial(train, 2.0**15, 2, log_of_zero),
    "never_stops_by_hand": partial(by_hand, 2.0**100, 12),
    "never_stops_by_hand_eagerly": partial(by_hand, 2.0**100, 12, plain),
    "applied_all_the_same": applied_all_the_same,
}
CAUGHT_PROGRAMS = {
    "caught_in_keras": partial(train, 2.0**30, 10),
    "caught_by_hand": partial(by_hand, 2.0**20, 20),
    "caught_by_hand_eagerly": partial(by_hand, 2.0**20, 20, plain),
}
"""What the loss scale ends by itself."""
