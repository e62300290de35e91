"""The elements of small tensors, which lie in their records where dimensions would lie that they lack.

They are written always (`keep_small` in `native/tensorflow/probe.h`), since that costs next to nothing, and of a single
text the end, which of a file's path tells most. Where a program has failed they tell what it was given. Sealing keeps
those of more than one element, as the health tells a single one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.errors import UsageError
from tensordbg.health.spec import DTYPES, MEASURABLE
from tensordbg.trace.raw.record import MAX_DIMS
from tensordbg.trace.raw.values import numpy_dtype

Array = npt.NDArray[Any]

SMALL_RANK = 5
"""Tensors of more dimensions have no room; as `kSmallRank` in `native/record.h`, and so are the next two."""
SMALL_BYTES = (MAX_DIMS - SMALL_RANK - 1) * 4
SMALL_MARK = 0x6C616D73
_GO_ON = bytes(range(0x80, 0xC0))
"""Bytes with which no character begins."""

_ITEM = {"bfloat16": 2, "float8_e4m3fn": 1, "float8_e5m2": 1}
_WIDTHS = np.array(
    [(_ITEM.get(name) or np.dtype(name).itemsize) if name in MEASURABLE else 0 for name in DTYPES], dtype=np.int64
)
"""Bytes of an element of each dtype, by its number."""


def holds_elements(records: Array) -> npt.NDArray[np.bool_]:
    """For each record of a tensor whether its elements lie in it."""
    result: npt.NDArray[np.bool_] = (records["rank"] <= SMALL_RANK) & (records["dims"][:, SMALL_RANK] == SMALL_MARK)
    return result


def elements_in(record: Any) -> Array | None:
    """The elements in one record that holds them; None where NumPy lacks their dtype or the record is damaged."""
    number, rank, dims = int(record["dtype"]), int(record["rank"]), record["dims"]
    shape = tuple(int(dim) for dim in dims[:rank])
    try:
        dtype = numpy_dtype(DTYPES[number] if number < len(DTYPES) else "unknown")
    except UsageError:
        return None
    size = 1
    for dim in shape:
        size *= dim
    if size * dtype.itemsize > SMALL_BYTES:
        return None
    return np.frombuffer(dims[SMALL_RANK + 1 :].tobytes(), dtype, size).reshape(shape)


def text_in(record: Any) -> str | None:
    """The single text in a record that holds one, `images/5.jpg`; of a long one the end, None of other bytes."""
    number, length = int(record["dtype"]), record["sum"]
    if number >= len(DTYPES) or DTYPES[number] != "string" or int(record["size"]) != 1 or not length >= 0:
        return None
    return end_of_text(record["dims"][SMALL_RANK + 1 :].tobytes()[: int(min(length, SMALL_BYTES))], length)


def end_of_text(data: bytes, length: float) -> str | None:
    """Writes a text of so many bytes, of which the last are known, as it is shown; None where they are no text."""
    if length > SMALL_BYTES:
        data = data[-SMALL_BYTES:].lstrip(_GO_ON)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return repr(text) if length <= SMALL_BYTES else f"...{text!r}"


def bytes_in(records: Array) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """The elements of tensors of more than one, for a column.

    Returns:
        Which records hold any, for each record how many bytes, and all of them one after another.
    """
    dtype = records["dtype"]
    size, width = records["size"], _WIDTHS[np.where(dtype < len(_WIDTHS), dtype, 0)]
    length = size * width
    held = holds_elements(records) & (size > 1) & (width > 0) & (length <= SMALL_BYTES)
    length = np.where(held, length, 0)
    room = np.ascontiguousarray(records["dims"][held][:, SMALL_RANK + 1 :]).view(np.uint8).reshape(-1, SMALL_BYTES)
    return held, length, room[np.arange(SMALL_BYTES) < length[held][:, None]]


def elements_of(data: bytes, dtype: str, shape: tuple[int, ...]) -> Array | None:
    """The elements in a row of that column; None where NumPy lacks their dtype or there are not as many."""
    try:
        return np.frombuffer(data, numpy_dtype(dtype)).reshape(shape)
    except (UsageError, ValueError):
        return None


def elements_text(elements: Array) -> str:
    """`[2, 4, 14]`, a number alone without brackets."""
    return _text(elements.tolist())


def _text(part: object) -> str:
    if isinstance(part, list):
        return f"[{', '.join(map(_text, part))}]"
    return f"{part:.6g}" if isinstance(part, float) else str(part)
