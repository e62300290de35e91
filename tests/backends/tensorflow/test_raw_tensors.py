"""Tensors that kernels hand over, from their memory."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.raw_tensors import RawTensor, copied, measured_of
from tensordbg.capture.texts import packed_texts


def raw(array: np.ndarray) -> RawTensor:
    return tf.as_dtype(array.dtype).as_datatype_enum, array.shape, memoryview(array.tobytes())


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "complex64", "int32", "bool", ml_dtypes.bfloat16])
def test_from_memory(dtype: object) -> None:
    array = np.array([[1, 0], [1, 1]]).astype(dtype)
    measured = measured_of(raw(array))
    assert np.array_equal(measured.array, array)
    assert measured.health is not None
    assert (measured.health.size, measured.bad_index) == (4, None)


def test_nothing() -> None:
    measured = measured_of((tf.float32.as_datatype_enum, (0, 3), memoryview(b"")))
    assert (measured.array.shape, measured.bad_index) == ((0, 3), None)


def test_strings() -> None:
    texts = np.array([[b"a", "ä".encode()], [b"", b"\0"]], dtype=object)
    measured = measured_of((tf.string.as_datatype_enum, (2, 2), memoryview(packed_texts(texts).tobytes())))
    assert np.array_equal(measured.array, texts)
    assert (measured.health, measured.bad_index) == (None, None)


def test_what_is_copied_outlives_the_step() -> None:
    array = np.arange(6, dtype=np.float64).reshape(2, 3)
    memory = bytearray(array.tobytes())
    kept = copied((tf.float64.as_datatype_enum, (2, 3), memoryview(memory)))
    memory[:] = bytes(len(memory))
    np.testing.assert_array_equal(kept, array)
    assert copied(None) is None
