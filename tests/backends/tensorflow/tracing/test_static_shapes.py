"""A shape that is known while a function is traced leads to the tensor that it is of, though it is a constant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tests.e2e.test_failure_beginnings import answer_of


def a_known_size_that_an_assertion_compared() -> None:
    @tf.function
    def pairwise(scores: tf.Tensor, targets: tf.Tensor) -> tf.Tensor:
        apart = scores - targets
        weights = tf.nn.softmax(apart)
        tf.debugging.assert_equal(tf.shape(weights)[1], 1)
        return weights

    pairwise(tf.ones([6, 1]), tf.ones([6]))


def a_known_shape_that_an_assertion_refused() -> None:
    @tf.function
    def pairwise(scores: tf.Tensor, targets: tf.Tensor) -> tf.Tensor:
        tf.debugging.assert_equal(tf.shape(scores - targets), [6, 1])
        return scores

    pairwise(tf.ones([6, 1]), tf.ones([6]))


def a_shape_that_was_stated() -> None:
    @tf.function
    def pairwise(scores: tf.Tensor, targets: tf.Tensor) -> tf.Tensor:
        apart = scores - targets
        tf.debugging.assert_shapes([(apart, (6, 1))])
        return apart

    pairwise(tf.ones([6, 1]), tf.ones([6]))


@pytest.mark.parametrize(
    "program",
    [a_known_size_that_an_assertion_compared, a_known_shape_that_an_assertion_refused, a_shape_that_was_stated],
)
def test_the_broadcast_is_told(program: Callable[[], Any], tmp_path: Path) -> None:
    failure, _ = answer_of(program, tmp_path)
    (beginning,) = failure["beginnings"]
    assert "spread [6, 1] and [6] over each other, which gave [6, 6]" in beginning["explanation"]
    assert "scores - targets" in beginning["source"]["text"]
