"""Masks of -inf: harmless, unless a row is masked throughout, which is one finding that names softmax and mask."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.wire.why import why_to_json

X = np.random.RandomState(0).randn(2, 4, 4).astype("float32")
CAUSAL = np.tril(np.ones([4, 4], bool))[None]
FULL = np.ones([2, 4, 4], bool)
FULL[1, 2] = False

Mask = Callable[[Any], tf.Tensor]


def added(mask: Any) -> tf.Tensor:
    return tf.nn.softmax(tf.constant(X) + tf.where(mask, 0.0, -np.inf))


def chosen(mask: Any) -> tf.Tensor:
    return tf.nn.softmax(tf.where(mask, tf.constant(X), -np.inf))


def filled(mask: Any) -> tf.Tensor:
    return tf.nn.softmax(tf.where(mask, tf.constant(X), tf.fill([2, 4, 4], float("-inf"))))


def answer(program: Callable[[], object], folder: Path) -> list[dict[str, Any]]:
    with tensordbg.record(folder) as recording:
        program()
    origins: list[dict[str, Any]] = why_to_json(tensordbg.open(recording.path).why())["origins"]
    return origins


HARMFUL = [added, chosen, filled]


@pytest.mark.parametrize("way", [tf.function, lambda program: program], ids=["graph", "eager"])
@pytest.mark.parametrize("masked", HARMFUL, ids=lambda masked: masked.__name__)
def test_a_row_masked_throughout_is_one_finding(way: Callable[[Any], Any], masked: Mask, tmp_path: Path) -> None:
    (origin,) = answer(lambda: way(masked)(tf.constant(FULL)), tmp_path)
    assert origin["cause"] == "fully_masked_softmax"
    assert "(the mask: " in origin["explanation"]


def logarithm(mask: Any) -> tf.Tensor:
    return tf.nn.softmax(tf.constant(X) + tf.math.log(tf.cast(mask, tf.float32)))


def by_hand(mask: Any) -> tf.Tensor:
    scores = tf.cast(tf.where(mask, tf.constant(X), -np.inf), tf.float64)
    powers = tf.exp(scores - tf.reduce_max(scores, -1, keepdims=True))
    return powers / tf.reduce_sum(powers, -1, keepdims=True)


HARMLESS = [*HARMFUL, logarithm, by_hand]


@pytest.mark.parametrize("way", [tf.function, lambda program: program], ids=["graph", "eager"])
@pytest.mark.parametrize("masked", HARMLESS, ids=lambda masked: masked.__name__)
def test_a_mask_that_harms_nothing_is_harmless_in_one_line(
    way: Callable[[Any], Any], masked: Mask, tmp_path: Path
) -> None:
    (origin,) = answer(lambda: way(masked)(tf.constant(CAUSAL)), tmp_path)
    assert not origin["consequential"]


def test_eagerly_a_masked_value_that_is_the_last_is_a_result(tmp_path: Path) -> None:
    def program() -> None:
        scores = tf.where(CAUSAL, tf.constant(X), -np.inf)
        tf.print(tf.reduce_any(scores < 0.0))
        tf.argmax(scores, -1)

    (origin,) = answer(program, tmp_path)
    assert "output" in origin["reaches"]


def attention() -> None:
    weights = tf.Variable(tf.random.stateless_normal([4, 4], seed=[1, 2]))

    @tf.function
    def step(x: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            scores = tf.matmul(x @ weights, x, transpose_b=True) + tf.where(mask, 0.0, float("-inf"))
            loss = tf.reduce_mean(tf.square(tf.nn.softmax(scores) @ x))
        weights.assign_sub(0.1 * tape.gradient(loss, weights))
        return loss

    for mask in (CAUSAL, CAUSAL, FULL, FULL, FULL):
        step(tf.constant(X), tf.constant(mask))


def test_attention_that_is_trained(tmp_path: Path) -> None:
    first, *others = answer(attention, tmp_path)
    assert first["cause"] == "fully_masked_softmax"
    assert [origin for origin in others if origin["consequential"]] == []
