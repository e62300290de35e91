"""Tensors as our kernels hand them over: their elements are there only for the moment."""

from __future__ import annotations

import numpy as np

from tensordbg.backends.tensorflow import dtypes
from tensordbg.capture.tensors import Array
from tensordbg.capture.texts import unpacked_texts
from tensordbg.health.measured import Measured

RawTensor = tuple[int, tuple[int, ...], memoryview]
"""TensorFlow's number of the dtype, the shape, and the elements, strings as `packed_texts` gives them."""


def measured_of(raw: RawTensor) -> Measured:
    """A tensor with its health; its elements still lie where they lay."""
    import tensorflow as tf  # imported by the program already

    enum, shape, memory = raw
    if enum == dtypes.STRING:
        return Measured(unpacked_texts(np.frombuffer(memory, np.uint8), shape))
    dtype = np.dtype(tf.dtypes.as_dtype(enum).as_numpy_dtype)
    if 0 in shape:
        return Measured(np.empty(shape, dtype))
    return Measured(np.frombuffer(memory, np.uint8).view(dtype).reshape(shape))


def copied(raw: RawTensor | None) -> Array | None:
    """The elements of a tensor, to be kept; None for one that can't be."""
    return None if raw is None else measured_of(raw).array.copy()
