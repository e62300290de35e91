"""Ragged and sparse tensors are written as TensorFlow itself prints them, for whatever tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.analysis.tensors.composite_text import ragged_text, sparse_text

RAGGED = {
    "floats": [[1.0, 2.5], [], [3.0]],
    "one length": [[1, 2], [3, 4]],
    "nested": [[[1], []], [[2, 3]], []],
    "empty": [[], []],
    "strings": [["a", "bc"], [""]],
    "booleans": [[True], [False, True]],
    "long": [list(range(50)), [1]],
}


@pytest.mark.parametrize("name", RAGGED)
def test_ragged_as_printed(name: str) -> None:
    ragged = tf.ragged.constant(RAGGED[name])
    splits = [each.numpy() for each in ragged.nested_row_splits]
    assert ragged_text(ragged.flat_values.numpy(), splits) == repr(ragged)


@pytest.mark.parametrize("dense", [[[1.0, 0.0], [0.0, 2.0]], [0, 0], [["", "x"]], [[[1, 0], [0, 3]]]])
def test_sparse_as_printed(dense: Any) -> None:
    sparse = tf.sparse.from_dense(dense)
    parts = (sparse.values.numpy(), sparse.indices.numpy(), sparse.dense_shape.numpy())
    assert sparse_text(*parts) == str(sparse)


def test_parts_that_do_not_fit_give_nothing() -> None:
    assert ragged_text(np.arange(3), [np.array([0, 2])]) == ""
    assert ragged_text(np.arange(3), [np.array([0, 4, 3])]) == ""
    assert ragged_text(np.arange(3), [np.array([])]) == ""
    assert sparse_text(np.arange(2), np.zeros((3, 1)), np.array([5])) == ""
