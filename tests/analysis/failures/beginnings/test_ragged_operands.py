"""An assertion of ragged code that no data leads back from is told with what its line names."""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf

from tests.e2e.test_failure_beginnings import answer_of


def test_a_ragged_and_a_dense_argument_are_told(tmp_path: Path) -> None:
    def program() -> None:
        @tf.function
        def score(a: tf.RaggedTensor, b: tf.Tensor) -> tf.Tensor:
            return tf.reduce_sum(a * b)

        score(tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.ones([3, 2]))

    failure, text = answer_of(program, tmp_path)
    assert "its inputs are a with rows of 2 and 1 elements and b float32[3, 2]" in " ".join(text.split())
    assert "a * b" in failure["source"]["text"]
