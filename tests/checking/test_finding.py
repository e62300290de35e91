"""A tensor as a check sees it, from its memory."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import tensorflow as tf

from tensordbg.checking.finding import Measured


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "complex64", "int32", "bool", ml_dtypes.bfloat16])
def test_from_memory(dtype: object) -> None:
    array = np.array([[1, 0], [1, 1]]).astype(dtype)
    enum = tf.as_dtype(array.dtype).as_datatype_enum
    measured = Measured.from_memory(enum, (2, 2), memoryview(array.tobytes()))
    assert np.array_equal(measured.array, array)
    assert measured.health is not None
    assert (measured.health.size, measured.bad_index) == (4, None)


def test_nothing() -> None:
    measured = Measured.from_memory(tf.float32.as_datatype_enum, (0, 3), memoryview(b""))
    assert (measured.array.shape, measured.bad_index) == ((0, 3), None)


def test_where_it_is_bad() -> None:
    assert Measured(np.array([[0.0, 1.0], [np.nan, np.inf]])).bad_index == (1, 0)
    assert Measured(np.array(np.inf)).bad_index == ()


def test_the_element_that_went_in() -> None:
    row = Measured(np.array([1.0, 2.0, 3.0]))
    assert row.element((4, 1), (5, 3)) == 2.0
    assert row.element((4,), (5,)) is None
