"""Of ragged tensors that don't go together is told, by their own names, how long the rows of each are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tests.e2e.test_failure_beginnings import answer_of


def other_rows() -> None:
    queries = tf.ragged.constant([[1.0, 2.0], [3.0]])
    keys = tf.ragged.constant([[1.0], [2.0, 3.0]])
    queries + keys


def a_dense_one() -> None:
    queries = tf.ragged.constant([[1.0, 2.0], [3.0]])
    keys = tf.ones([3, 2])
    queries * keys


def inner_rows() -> None:
    queries = tf.ragged.constant([[[1.0, 2.0], [3.0]], [[1.0]]])
    keys = tf.ragged.constant([[[1.0, 2.0], [3.0, 4.0]], [[1.0]]])
    tf.ragged.map_flat_values(tf.add, queries, keys)


def many_rows() -> None:
    lengths = np.arange(100) % 7
    queries = tf.RaggedTensor.from_row_lengths(tf.ones([lengths.sum()]), lengths)
    lengths[40:42] += [1, -1]
    keys = tf.RaggedTensor.from_row_lengths(tf.ones([lengths.sum()]), lengths)
    queries - keys


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (other_rows, "queries with rows of 2 and 1 elements and keys with rows of 1 and 2 elements"),
        (a_dense_one, "queries with rows of 2 and 1 elements and keys float32[3, 2]"),
        (inner_rows, "queries with inner rows of 2, 1 and 1 elements and keys with inner rows of 2, 2 and 1 elements"),
        (
            many_rows,
            "queries with 100 rows of 0 to 6 elements, 5 in row 40 and keys with 100 rows of 0 to 6 elements, 6 in row",
        ),
    ],
)
def test_the_rows_are_told(program: Callable[[], Any], words: str, tmp_path: Path) -> None:
    failure, text = answer_of(program, tmp_path)
    assert f"its inputs are {words}" in " ".join(text.split())
    assert "queries" in failure["source"]["text"]


def test_what_went_together_before_tells_nothing_of_another_error(tmp_path: Path) -> None:
    def program() -> None:
        queries = tf.ragged.constant([[1.0, 2.0], [3.0]])
        queries + queries
        tf.debugging.assert_equal(tf.constant(1), tf.constant(2))

    failure, _ = answer_of(program, tmp_path)
    assert not any("rows" in (each["elements"] or "") for each in failure["inputs"])
