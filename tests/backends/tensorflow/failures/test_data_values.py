"""Of what Keras' `fit` was given and does not fit, the program's own line is told where that began."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.e2e.test_failure_beginnings import answer_of, line_of

X = np.ones([12, 8], np.float32)
LABELS = np.arange(12) % 3


def classifier() -> keras.Model:
    model = keras.Sequential([keras.Input([8]), keras.layers.Dense(3)])
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


def labels_from_1_on() -> None:
    y = LABELS + 1  # HERE
    classifier().fit(X, y, batch_size=12, verbose=0)


def features_that_were_cut() -> None:
    def train(features: object, labels: object) -> None:
        classifier().fit(features, labels, validation_split=0.25, verbose=0)

    x = np.array(X)
    x = x[:, :7]  # HERE
    train(x, LABELS)


def rows_of_features_that_were_cut() -> None:
    table = np.ones([20, 9], np.float32)
    x, y = table[:, :7], LABELS  # HERE
    classifier().fit(x[:12], y, verbose=0)


def labels_of_a_tensor() -> None:
    y = tf.one_hot(LABELS, 3)  # HERE
    classifier().fit(X, y, verbose=0)


def a_function_of_a_dataset() -> None:
    def prepare(image: tf.Tensor, label: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        wide = tf.concat([image, image[:2]], 0)  # HERE
        return wide * 2.0, label

    data = tf.data.Dataset.from_tensor_slices((X, LABELS)).map(prepare).shuffle(12).batch(4).repeat(2)
    classifier().fit(data, shuffle=False, verbose=0)


def features_for_which_the_model_is_built() -> None:
    x = np.ones([12, 8], np.float32)  # HERE
    model = keras.Sequential([keras.layers.LSTM(4), keras.layers.Dense(3)])
    model.compile("sgd", "mse")
    model.fit(x, LABELS, verbose=0)


CASES: list[tuple[Callable[[], None], str, str]] = [
    (labels_from_1_on, "value", "it came in from Python with 3 among its numbers"),
    (features_that_were_cut, "shape", "it came in from Python with [12, 7]"),
    (rows_of_features_that_were_cut, "shape", "it came in from Python with [12, 7]"),
    (features_for_which_the_model_is_built, "shape", "it came in from Python with [?, 8]"),
    (labels_of_a_tensor, "shape", "OneHot:0 made [12, 3] of [12]"),
    (a_function_of_a_dataset, "shape", "concat:0 made [10] of [8] and [2]"),
]


@pytest.mark.parametrize(("program", "what", "said"), CASES, ids=[case[0].__name__ for case in CASES])
def test_the_line_is_told_where_the_data_began(
    program: Callable[[], None], what: str, said: str, tmp_path: Path
) -> None:
    failure, text = answer_of(program, tmp_path)
    began = failure["beginnings"][0]
    assert (began["what"], began["explanation"], began["source"]["line"]) == (what, said, line_of(program))
    assert said in " ".join(text.split())


def labels_that_a_branch_may_have_changed() -> None:
    y = LABELS
    if y.sum() > 1:
        y = y + 1
    classifier().fit(X, y, batch_size=12, verbose=0)


def labels_that_were_changed_in_place() -> None:
    y = np.array(LABELS)
    y[4] = 3
    classifier().fit(X, y, batch_size=12, verbose=0)


@pytest.mark.parametrize("program", [labels_that_a_branch_may_have_changed, labels_that_were_changed_in_place])
def test_no_line_is_guessed(program: Callable[[], None], tmp_path: Path) -> None:
    (began,) = answer_of(program, tmp_path)[0]["beginnings"]
    assert began["explanation"] == "IteratorGetNext:1 took it out of the input pipeline with 3 among its numbers"
