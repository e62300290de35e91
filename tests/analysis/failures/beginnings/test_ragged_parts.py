"""What an assertion of a graph compared of ragged tensors is told as the program's own values."""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf

from tests.e2e.test_failure_beginnings import answer_of


def test_the_rows_of_ragged_arguments_are_told(tmp_path: Path) -> None:
    def program() -> None:
        @tf.function
        def score(a: tf.RaggedTensor, b: tf.RaggedTensor) -> tf.Tensor:
            scaled = a * 2.0
            return tf.reduce_sum(scaled * b)

        queries = tf.ragged.constant([[1.0, 2.0], [3.0]])
        keys = tf.ragged.constant([[1.0], [2.0, 3.0]])
        score(queries, keys)

    failure, text = answer_of(program, tmp_path)
    words = "its inputs are queries with rows of 2 and 1 elements and keys with rows of 1 and 2 elements"
    assert words in " ".join(text.split())
    assert "scaled * b" in failure["source"]["text"]
    assert [each["source"]["text"].split()[0] for each in failure["beginnings"]] == ["queries", "keys"]


def test_numbers_that_belong_to_no_ragged_tensor_are_told_as_they_are(tmp_path: Path) -> None:
    def program() -> None:
        @tf.function
        def same(a: tf.Tensor, b: tf.Tensor) -> None:
            tf.debugging.assert_equal(a, b)

        same(tf.constant([0, 2, 3]), tf.constant([0, 1, 3]))

    failure, _ = answer_of(program, tmp_path)
    assert not any("rows" in (each["elements"] or "") for each in failure["inputs"])
