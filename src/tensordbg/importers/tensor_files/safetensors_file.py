"""Files of the safetensors format: a header of JSON, then the numbers of all tensors, end to end.

The header is read here and not by the format's own library, which would map the file: one that shrinks meanwhile ends
the process then.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

from tensordbg.errors import TraceError
from tensordbg.importers.tensor_files.dtypes import OF_SAFETENSORS
from tensordbg.importers.tensor_files.stored import (
    MOST_NAME,
    MOST_TENSORS,
    Array,
    StoredTensor,
    is_shape,
    read_pieces,
)
from tensordbg.json_input import load_json
from tensordbg.opening import size_of
from tensordbg.trace.raw.values import numpy_dtype

_MOST_HEADER = 100_000_000
"""Bytes; the format's own library takes no more."""
_METADATA = "__metadata__"


def list_tensors(file: BinaryIO) -> list[StoredTensor]:
    """Lists the tensors of a file in the order of their numbers.

    Raises:
        TraceError: If it is not of this format.
    """
    header, begin = _header(file)
    entries = [(name, entry) for name, entry in header.items() if name != _METADATA]
    if len(entries) > MOST_TENSORS:
        raise TraceError(f"it holds {len(entries):,} tensors, but at most {MOST_TENSORS:,} are read")
    room = size_of(file) - begin
    for name, entry in entries:
        _check(name, entry, room)
    entries.sort(key=lambda item: tuple(item[1]["data_offsets"]))
    end = 0
    for name, entry in entries:
        if entry["data_offsets"][0] < end:
            raise TraceError(f"the numbers of {name[:80]!r} overlap with those of another tensor; it is damaged")
        end = entry["data_offsets"][1]
    return [_stored(file, begin, name, entry) for name, entry in entries]


def _header(file: BinaryIO) -> tuple[dict[str, Any], int]:
    """The header, and where the numbers begin."""
    first = file.read(8)
    length = struct.unpack("<Q", first)[0] if len(first) == 8 else _MOST_HEADER + 1
    if length > min(_MOST_HEADER, size_of(file) - 8):
        raise TraceError("it has no header of that format")
    try:
        header = load_json(file.read(length))
    except (ValueError, RecursionError) as error:
        raise TraceError(f"its header is no JSON ({error})") from None
    if not isinstance(header, dict):
        raise TraceError("its header is no object")
    return header, 8 + length


def _check(name: str, entry: object, room: int) -> None:
    """Refuses what can't be the description of a tensor in a file with so many bytes of numbers."""
    offsets = entry.get("data_offsets") if isinstance(entry, dict) else None
    fine = (
        isinstance(entry, dict)
        and isinstance(entry.get("dtype"), str)
        and is_shape(entry.get("shape"))
        and isinstance(offsets, list)
        and len(offsets) == 2
        and all(type(each) is int for each in offsets)
        and 0 <= offsets[0] <= offsets[1] <= room
        and len(name) <= MOST_NAME
    )
    if not fine:
        raise TraceError(f"what it says of the tensor {name[:80]!r} can't be; it is damaged")


def _stored(file: BinaryIO, begin: int, name: str, entry: dict[str, Any]) -> StoredTensor:
    dtype, shape = OF_SAFETENSORS.get(entry["dtype"], "unknown"), tuple(entry["shape"])
    first, end = entry["data_offsets"]
    tensor = StoredTensor(name, dtype, shape)
    if dtype == "unknown":
        return tensor
    if end - first != tensor.size * numpy_dtype(dtype).itemsize:
        raise TraceError(f"the numbers of {name[:80]!r} are more or fewer than its shape has; it is damaged")
    return StoredTensor(name, dtype, shape, functools.partial(_pieces, file, begin + first, tensor))


def _pieces(file: BinaryIO, begin: int, tensor: StoredTensor) -> Iterator[Array]:
    file.seek(begin)
    kind = numpy_dtype(tensor.dtype)
    return read_pieces(file, kind.newbyteorder("<") if kind.isbuiltin == 1 else kind, tensor.size)
