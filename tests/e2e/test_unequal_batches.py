"""A dataset whose elements don't go into one batch: the operation that gave the odd one its shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.e2e.test_failure_beginnings import answer_of, line_of


def a_map() -> None:
    def letters(text: tf.Tensor) -> tf.Tensor:
        parts = tf.strings.bytes_split(text)  # HERE
        return tf.strings.length(parts)

    for _ in tf.data.Dataset.from_tensor_slices(["abc", "def", "gh"]).map(letters).batch(3):
        pass


def a_map_in_threads_within_a_function() -> None:
    def rows(number: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        made = tf.ones([number // 3 + 2, 4])  # HERE
        return made * 2.0, number

    @tf.function
    def total(batches: tf.data.Dataset) -> tf.Tensor:
        found = 0.0
        for rows, _ in batches:
            found += tf.reduce_sum(rows)
        return found

    total(tf.data.Dataset.range(8).map(rows, num_parallel_calls=4).batch(4).prefetch(1))


def a_generator() -> None:
    def numbers() -> Iterator[Any]:
        for size in (3, 3, 4, 3):
            yield np.ones([size], np.float32)  # HERE

    signature = tf.TensorSpec([None], tf.float32)
    batches = tf.data.Dataset.from_generator(numbers, output_signature=signature).batch(4)
    list(batches)


def a_fit() -> None:
    def example(number: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        cut = tf.range(5)[: 5 - number // 3]  # HERE
        return tf.cast(cut, tf.float32), 1.0

    model = keras.Sequential([keras.layers.Embedding(9, 2), keras.layers.GlobalAveragePooling1D()])
    model.compile("sgd", "mse")
    model.fit(tf.data.Dataset.range(8).map(example).batch(4), verbose=0, shuffle=False)


CASES: list[tuple[Callable[[], None], str]] = [
    (a_map, "made [2]"),
    (a_map_in_threads_within_a_function, "made [3, 4]"),
    (a_generator, "made [4]"),
    (a_fit, "made [4] of [5]"),
]


@pytest.mark.parametrize(("program", "said"), CASES, ids=[case[0].__name__ for case in CASES])
def test_the_line_is_told_that_made_the_odd_shape(program: Callable[[], None], said: str, tmp_path: Path) -> None:
    failure, text = answer_of(program, tmp_path)
    began = failure["beginnings"][0]
    assert (began["what"], began["source"]["line"]) == ("shape", line_of(program))
    assert said in began["explanation"]
    assert said in " ".join(text.split())
