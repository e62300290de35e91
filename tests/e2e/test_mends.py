"""Fixes fit the program: the fused loss for a probability in any disguise, no epsilon where there is one already."""

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

LOGITS = [[200.0, -200.0, 0.0], [0.0, 1.0, 2.0]]
SIGMOIDS = [-200.0, 200.0, 1.0]
Formula = Callable[[Any], Any]


def suggestion(folder: Path, program: Callable[[], object]) -> str:
    with tensordbg.record(folder) as recording:
        program()
    return str(why_to_json(tensordbg.open(recording.path).why())["origins"][0]["suggestion"])


def hand_written(x: tf.Tensor) -> tf.Tensor:
    powers = tf.exp(x - tf.reduce_max(x, -1, keepdims=True))
    return tf.math.log(powers / tf.reduce_sum(powers, -1, keepdims=True))


def sliced(x: tf.Tensor) -> tf.Tensor:
    powers = tf.exp(x - tf.reduce_max(x, -1, keepdims=True))
    return tf.math.log(powers[:, 1] / tf.reduce_sum(powers, -1))


def entropy(x: tf.Tensor) -> tf.Tensor:
    p = tf.nn.softmax(x)
    return -tf.reduce_sum(p * tf.math.log(p))


inner = tf.function(lambda x: tf.nn.softmax(x))
CHOSEN = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]

SOFTMAX: dict[str, Formula] = {
    "plain": lambda x: tf.math.log(tf.nn.softmax(x)),
    "clipped": lambda x: tf.math.log(tf.clip_by_value(tf.nn.softmax(x), 0.0, 1.0)),
    "gathered": lambda x: tf.math.log(tf.gather_nd(tf.reshape(tf.nn.softmax(x), [2, 3]), [[0, 1], [1, 0]])),
    "masked": lambda x: tf.math.log(tf.boolean_mask(tf.nn.softmax(x), tf.constant(CHOSEN) > 0)),
    "one_hot": lambda x: tf.math.log(tf.reduce_sum(tf.constant(CHOSEN) * tf.nn.softmax(x), -1)),
    "hand_written": hand_written,
    "sliced": sliced,
    "entropy": entropy,
    "of_another_function": lambda x: tf.math.log(inner(x)),
    "cast": lambda x: tf.math.log(tf.cast(tf.nn.softmax(tf.cast(x, tf.float16)), tf.float32)),
    "with_an_epsilon_that_is_lost": lambda x: tf.math.log(tf.nn.softmax(tf.cast(x, tf.float16)) + 1e-8),
}
SIGMOID: dict[str, Formula] = {
    "plain": lambda x: tf.math.log(tf.nn.sigmoid(x)),
    "one_minus": lambda x: tf.math.log(1.0 - tf.nn.sigmoid(x)),
    "log1p": lambda x: tf.math.log1p(-tf.nn.sigmoid(x)),
    "hand_written": lambda x: tf.math.log(1.0 / (1.0 + tf.exp(88.5 + x - tf.abs(x)))),
}
FUSED = [("softmax_cross_entropy_with_logits", LOGITS, name, formula) for name, formula in SOFTMAX.items()]
FUSED += [("sigmoid_cross_entropy_with_logits", SIGMOIDS, name, formula) for name, formula in SIGMOID.items()]


@pytest.mark.parametrize("eagerly", [False, True])
@pytest.mark.parametrize(
    ("loss", "logits", "name", "formula"), FUSED, ids=[f"{each[0][:7]}-{each[2]}" for each in FUSED]
)
def test_the_fused_loss(
    tmp_path: Path, loss: str, logits: list[Any], name: str, formula: Formula, eagerly: bool
) -> None:
    run = formula if eagerly else tf.function(formula)
    assert loss in suggestion(tmp_path, lambda: run(tf.constant(logits)))


def test_a_probability_made_eagerly_and_handed_to_a_function(tmp_path: Path) -> None:
    said = suggestion(tmp_path, lambda: tf.function(tf.math.log)(tf.nn.softmax(tf.constant(LOGITS))))
    assert "softmax_cross_entropy_with_logits" in said


def test_a_gradient_behind_a_where(tmp_path: Path) -> None:
    def program() -> None:
        logits = tf.Variable(LOGITS)

        @tf.function
        def step() -> tf.Tensor:
            with tf.GradientTape() as tape:
                p = tf.nn.softmax(logits)
                loss = tf.reduce_sum(tf.where(p > 0.0, tf.math.log(p), 0.0))
            return tape.gradient(loss, logits)

        step()

    assert "softmax_cross_entropy_with_logits" in suggestion(tmp_path, program)


def test_a_layer_of_keras(tmp_path: Path) -> None:
    def program() -> None:
        given = keras.Input((2,))
        dense = keras.layers.Dense(2, "softmax", kernel_initializer="identity")(given)
        model = keras.Model(given, keras.layers.Reshape((2,))(dense))
        model.compile("sgd", lambda labels, p: -keras.ops.sum(labels * keras.ops.log(p), -1))
        model.fit(np.array([[400.0, -400.0]] * 4, np.float32), np.array([[0.0, 1.0]] * 4, np.float32), verbose=0)

    said = suggestion(tmp_path, program)
    assert "softmax_cross_entropy_with_logits" in said
    assert "from_logits=True" in said


def slope_of_a_root(weight: tf.Variable) -> tf.Tensor:
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.sqrt(weight * weight) + 1e-8)
    return tape.gradient(loss, weight)


HALF = tf.constant([0.0, 0.0], tf.float16)
WHOLE = tf.constant([0.0, 1.0])


@pytest.mark.parametrize(
    ("expected", "formula", "given"),
    [
        ("is 0 in float16", lambda x: x / (tf.reduce_sum(x) + 1e-8), HALF),
        ("is 0 in float16", lambda x: tf.math.log(x + 1e-8), HALF),
        ("is 0 in float16", lambda x: tf.math.log(tf.maximum(x, 1e-8)), HALF),
        ("is 0 in float16", lambda x: x * tf.math.rsqrt(tf.reduce_sum(x * x) + 1e-12), HALF),
        ("is 0 in float16", lambda x: tf.nn.l2_normalize(x), HALF),
        ("added to the quotient, too late", lambda x: x / x + 1e-8, WHOLE),
        ("added to the logarithm, too late", lambda x: tf.math.log(x) + 1e-8, WHOLE),
        ("does not keep it from 0", lambda x: x / ((x - 0.001) + 0.001), WHOLE),
        ("tf.maximum(x, 1e-7)", lambda x: tf.math.log(x), WHOLE),
        ("divide_no_nan", lambda x: x / x, WHOLE),
    ],
)
def test_an_epsilon_that_is_there(tmp_path: Path, expected: str, formula: Formula, given: Any) -> None:
    assert expected in suggestion(tmp_path, lambda: tf.function(formula)(given))


def test_an_epsilon_behind_a_root(tmp_path: Path) -> None:
    weight = tf.Variable([0.0, 1.0])
    assert "behind the root" in suggestion(tmp_path, lambda: tf.function(lambda: slope_of_a_root(weight))())
