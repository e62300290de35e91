"""Of a list that no tensor can be made of it is told which part is of another length."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.failures.uneven_lists import uneven_part
from tests.e2e.test_failure_beginnings import answer_of


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([[1, 2, 3], [4], [5, 6]], "uneven: [0] has 3 elements, [1] has 1"),
        ([[[1], [2]], [[3], [4, 5]]], "uneven: [1][0] has 1 element, [1][1] has 2"),
        ([1, [2]], "uneven: [0] is no list, [1] has 1"),
        ([np.zeros(3), np.zeros(2)], "uneven: [0] has 3 elements, [1] has 2"),
        ([[1, 2], [3, 4]], ""),
        (7, ""),
    ],
)
def test_the_first_part_of_another_length(value: Any, words: str) -> None:
    assert uneven_part(value) == words


@pytest.mark.parametrize("make", [tf.constant, tf.convert_to_tensor, tf.reduce_mean, tf.Variable])
def test_the_list_is_named(make: Any, tmp_path: Path) -> None:
    def program() -> None:
        batch = {"ids": [[1, 2, 3], [4, 5]]}
        make(batch["ids"])

    failure, text = answer_of(program, tmp_path)
    (given,) = failure["inputs"]
    assert given["elements"] == "uneven: [0] has 3 elements, [1] has 2"
    assert "its input batch['ids'] is uneven: [0] has 3 elements, [1] has 2" in " ".join(text.split())
    assert "make(batch" in failure["source"]["text"]
