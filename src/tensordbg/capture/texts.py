"""Tensors of strings in a file of safetensors, which knows numbers alone: the length of each, eight bytes, then texts.

In memory they are bytes in an array of objects, as TensorFlow's own arrays of strings are.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.errors import CaptureError

Array = npt.NDArray[Any]

DTYPE = "string"

_LENGTH = np.dtype("<u8")


def are_texts(array: Array) -> bool:
    """Whether all elements are bytes."""
    return array.dtype.kind == "O" and all(type(each) is bytes for each in array.ravel().tolist())


def packed_texts(array: Array) -> Array:
    """The bytes in which they are kept."""
    texts: list[bytes] = array.ravel().tolist()
    lengths = np.array([len(each) for each in texts], dtype=_LENGTH).tobytes()
    return np.frombuffer(b"".join((lengths, *texts)), dtype=np.uint8)


def unpacked_texts(packed: Array, shape: tuple[int, ...]) -> Array:
    """The texts, of a shape.

    Raises:
        CaptureError: If these can't be so many texts.
    """
    count = prod(shape)
    head = count * _LENGTH.itemsize
    whole = packed.dtype == np.uint8 and packed.ndim == 1 and min(shape, default=0) >= 0
    content = packed.tobytes() if whole else b""
    lengths = np.frombuffer(content[:head], _LENGTH).tolist() if whole and len(content) >= head else []
    if not whole or len(lengths) != count or head + sum(lengths) != len(content):
        raise CaptureError(f"{packed.size} elements of {packed.dtype} can't be {count} strings; take another capture")
    array = np.empty(count, dtype=object)
    begin = head
    for place, length in enumerate(lengths):
        array[place] = content[begin : begin + length]
        begin += length
    return array.reshape(shape)
