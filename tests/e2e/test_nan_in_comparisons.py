"""NaN that goes through comparisons, positions and whole numbers: what divides by what is left of it is no origin.

Each program is run as a function and eagerly, and marks the guilty line with `# HERE`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.wire.why import why_to_json


def bad() -> tf.Tensor:
    return tf.math.log(tf.constant([[0.0, -1.0, 2.0], [1.0, 2.0, 3.0]]))  # HERE


def gradient_of_a_maximum() -> tf.Tensor:
    x = bad()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.reduce_max(x, axis=1))
    return tape.gradient(y, x)


def mean_of_the_positive() -> tf.Tensor:
    x = bad()[0, 1:2]
    positive = tf.cast(x > 0, tf.float32)
    return tf.reduce_sum(positive) / tf.reduce_sum(positive)


def rank() -> tf.Tensor:
    return 1.0 / tf.cast(tf.argsort(bad()[0]), tf.float32)


def whole_number() -> tf.Tensor:
    return tf.sqrt(tf.cast(tf.cast(bad()[0], tf.int32), tf.float32))


def replaced_by_zero() -> tf.Tensor:
    x = bad()
    safe = tf.where(tf.math.is_finite(x), x, tf.zeros_like(x))
    return tf.math.log(safe - safe)


def number_of_nan() -> tf.Tensor:
    count = tf.reduce_sum(tf.cast(tf.math.is_nan(bad()), tf.float32))
    return 1.0 / (count - 1.0)


def answer(program: Callable[[], object], folder: Path) -> list[dict[str, Any]]:
    with tensordbg.record(folder) as recording:
        program()
    origins: list[dict[str, Any]] = why_to_json(tensordbg.open(recording.path).why())["origins"]
    return origins


OF_NAN = [gradient_of_a_maximum, mean_of_the_positive, rank, whole_number]
OF_THEIR_OWN = [replaced_by_zero, number_of_nan]


@pytest.mark.parametrize("way", [tf.function, lambda program: program], ids=["graph", "eager"])
@pytest.mark.parametrize("program", OF_NAN, ids=lambda program: program.__name__)
def test_one_origin(way: Callable[[Any], Any], program: Callable[[], object], tmp_path: Path) -> None:
    (origin,) = answer(way(program), tmp_path)
    assert origin["cause"] == "log_of_negative"
    assert origin["source"]["text"].endswith("# HERE")


@pytest.mark.parametrize("program", OF_THEIR_OWN, ids=lambda program: program.__name__)
def test_nan_that_was_handled_stays_harmless(program: Callable[[], object], tmp_path: Path) -> None:
    guilty, handled = answer(tf.function(program), tmp_path)
    assert (guilty["cause"], guilty["consequential"]) in [("log_of_zero", True), ("division_by_zero", True)]
    assert (handled["cause"], handled["consequential"]) == ("log_of_negative", False)


def test_pooling_in_a_training(tmp_path: Path) -> None:
    layers = [
        keras.layers.Input([8, 1]),
        keras.layers.Lambda(tf.math.log),
        keras.layers.Conv1D(2, 3),
        keras.layers.GlobalMaxPooling1D(),
        keras.layers.Dense(1),
    ]
    model = keras.Sequential(layers)
    model.compile("sgd", "mse")
    origins = answer(lambda: model.fit(np.zeros([4, 8, 1]), np.ones([4, 1]), epochs=2, verbose=0), tmp_path)
    assert [origin["cause"] for origin in origins] == ["log_of_zero"]
