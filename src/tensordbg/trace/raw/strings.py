"""Elements of tensors of strings, as `native/log/strings.h` keeps them: the length of each in eight bytes, then texts.

Of one tensor `MOST_TEXT` bytes of texts are kept. What lies beyond is known by its length alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.errors import UsageError
from tensordbg.health import measure
from tensordbg.model import Health

Array = npt.NDArray[Any]

DTYPE = "string"

MOST_TEXT = 4 << 20
"""So many bytes of texts are kept of one tensor; the same number is in `native/log/strings.h`."""

_FIRST, _BEGINNING = 4, 32
"""So many elements, and so many bytes of each, stand for all of them in a table."""

_LENGTH = np.dtype("<u8")


def read_texts(count: int, read: Callable[[int, int], bytes | memoryview]) -> Array:
    """The elements as bytes in an array of objects, None in place of one that was not kept whole.

    Args:
        count: How many there are.
        read: Gives so many bytes (the second number) from one on (the first).

    Raises:
        ValueError: If what is there can't be lengths.
    """
    lengths = np.frombuffer(read(0, count * _LENGTH.itemsize), _LENGTH, count)
    ends = np.minimum(np.cumsum(np.minimum(lengths, MOST_TEXT + 1)), MOST_TEXT + 1)
    kept = int(min(ends[-1], MOST_TEXT)) if count else 0
    text = bytes(read(count * _LENGTH.itemsize, kept))
    array = np.empty(count, dtype=object)
    begin = 0
    for place, (length, end) in enumerate(zip(lengths.tolist(), ends.tolist(), strict=True)):
        array[place] = text[begin:end] if end - begin == length and end <= kept else None
        begin = end
    array.flags.writeable = False
    return array


def first_texts(count: int, read: Callable[[int, int], bytes | memoryview]) -> list[tuple[bytes, int]]:
    """The beginnings of the first elements, each with the element's length; what `read_texts` takes.

    Raises:
        ValueError: If what is there can't be lengths.
    """
    lengths = np.frombuffer(read(0, min(count, _FIRST) * _LENGTH.itemsize), _LENGTH).tolist()
    found: list[tuple[bytes, int]] = []
    begin = 0
    for length in lengths:
        if begin + length > MOST_TEXT:
            break
        found.append((bytes(read(count * _LENGTH.itemsize + begin, min(length, _BEGINNING))), length))
        begin += length
    return found


def lengths_of(array: Array) -> Health:
    """The health of the lengths of strings in bytes, which a trace records; here of those that are there."""
    return measure(np.array([len(text) for text in array.ravel().tolist() if text is not None], dtype=np.int64))


def fits(array: Array, recorded: Health) -> bool:
    """Whether elements have the lengths that were recorded, as far as they are there."""
    found = lengths_of(array)
    if not found.size:
        return array.size == recorded.size
    if found.size < array.size:
        return recorded.min <= found.min <= found.max <= recorded.max
    return (found.size, found.min, found.max, found.sum) == (recorded.size, recorded.min, recorded.max, recorded.sum)


def as_fixed(array: Array) -> Array:
    """The elements of tensors of strings in NumPy's own type for bytes, which files of NumPy can have.

    Raises:
        UsageError: If an element is not there, or ends in a zero, which that type does not have.
    """
    flat = array.ravel().tolist()
    if any(text is None for text in flat):
        raise UsageError(
            f"of these strings some were not kept, as of one tensor {MOST_TEXT:,} bytes are; choose others with --slice"
        )
    if any(text.endswith(b"\0") for text in flat):
        raise UsageError("a string that ends in a zero byte has no place in a file of NumPy; leave --write out")
    return np.array(flat, dtype=np.bytes_).reshape(array.shape)
