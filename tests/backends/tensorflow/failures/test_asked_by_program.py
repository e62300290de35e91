"""A plain `assert` or `raise` of the program's own leads to where the shape or type came about of which it asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.failures.asked_by_program import asked_by_program
from tensordbg.recording.catalog import CATALOG
from tests.e2e.test_failure_beginnings import answer_of, line_of


def an_assertion_in_eager_code() -> None:
    scores = tf.reshape(tf.range(6.0), [6, 1])
    apart = scores - tf.range(6.0)  # HERE
    assert apart.shape == (6, 1)


def an_assertion_while_tracing() -> None:
    @tf.function
    def pairwise(scores: tf.Tensor, targets: tf.Tensor) -> tf.Tensor:
        apart = scores - targets  # HERE
        squared = tf.square(apart)
        assert squared.shape == (6, 1), "one for each"
        return squared

    pairwise(tf.ones([6, 1]), tf.ones([6]))


def a_raise_in_a_layer() -> None:
    class Head(keras.layers.Layer):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.dense = keras.layers.Dense(4)

        def call(self, x: tf.Tensor) -> tf.Tensor:
            scores = tf.transpose(self.dense(x))  # HERE
            _, classes = scores.shape
            if classes != 4:
                raise ValueError(f"{classes} classes")
            return scores

    head = Head()
    tf.function(lambda x: head(x))(tf.ones([8, 3]))


def a_size_that_is_missing() -> None:
    x = tf.ones([2, 3, 4])
    flat = tf.reduce_mean(x, axis=1)  # HERE
    _batch, _time, _width = flat.shape


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (an_assertion_in_eager_code, "spread [6, 1] and [6] over each other, which gave [6, 6]"),
        (an_assertion_while_tracing, "spread [6, 1] and [6] over each other, which gave [6, 6]"),
        (a_raise_in_a_layer, "made [4, 8] of [8, 4]"),
        (a_size_that_is_missing, "made [2, 4] of [2, 3, 4]"),
    ],
)
def test_the_line_is_told_at_which_the_shape_came_about(program: Callable[[], None], said: str, tmp_path: Path) -> None:
    failure, _ = answer_of(program, tmp_path)
    beginning = failure["beginnings"][0]
    assert said in beginning["explanation"]
    assert beginning["source"]["line"] == line_of(program)


def a_type() -> None:
    x = tf.range(3)
    kept = tf.cast(x, tf.float64)  # HERE
    if kept.dtype != tf.float32:
        raise TypeError("float32 is wanted")


def test_the_line_is_told_at_which_the_type_came_about(tmp_path: Path) -> None:
    failure, text = answer_of(a_type, tmp_path)
    (beginning,) = failure["beginnings"]
    assert (beginning["what"], beginning["source"]["line"]) == ("dtype", line_of(a_type))
    assert "its input kept is float64[3]" in " ".join(text.split())


def test_errors_of_tensorflow_and_of_other_matters_ask_nothing(tmp_path: Path) -> None:
    def refuse(x: Any) -> None:
        if x.shape[0] == 2:
            tf.reshape(x, [7])

    def count(x: Any) -> None:
        if x.shape[0] == 2:
            dict[str, int]()["none"]

    for number, program in enumerate((refuse, count)):
        with pytest.raises(Exception) as caught, tensordbg.record(tmp_path / str(number)):  # noqa: PT011
            program(tf.ones([2, 2]))
        assert asked_by_program(caught.value, CATALOG) == []
