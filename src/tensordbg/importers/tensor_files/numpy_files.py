"""NumPy's own files: `.npy` with one array, `.npz` with several, each a `.npy` in an archive, packed or not."""

from __future__ import annotations

import ast
import functools
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, BinaryIO, cast

import numpy as np

from tensordbg.errors import TraceError
from tensordbg.health.spec import MEASURABLE
from tensordbg.importers.tensor_files.stored import (
    MOST_NAME,
    MOST_TENSORS,
    Array,
    StoredTensor,
    is_shape,
    read_pieces,
)

_MOST_HEADER = 10_000
"""Bytes of a header of an array of numbers; it is some 100."""
_MAGIC = b"\x93NUMPY"
_UNREADABLE = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError, OSError)
"""Errors by which an archive shows that it is damaged, encrypted or packed in a way that is not known."""


def array_of(file: BinaryIO, name: str) -> StoredTensor:
    """The array of a `.npy`.

    Raises:
        TraceError: If it is not of this format.
    """
    stored, kind = _described(file, name)
    if kind is None:
        return stored
    begin = file.tell()

    def pieces() -> Iterator[Array]:
        file.seek(begin)
        return read_pieces(file, kind, stored.size)

    return StoredTensor(name, stored.dtype, stored.shape, pieces, stored.column_major)


def arrays_of(file: BinaryIO) -> list[StoredTensor]:
    """Lists the arrays of a `.npz`.

    Raises:
        TraceError: If it is not of this format.
    """
    try:
        archive = zipfile.ZipFile(file)
        members = [each for each in archive.infolist() if each.filename.endswith(".npy")]
        if len(members) > MOST_TENSORS:
            raise TraceError(f"it holds {len(members):,} arrays, but at most {MOST_TENSORS:,} are read")
        return [_member(archive, each) for each in members]
    except _UNREADABLE as error:
        raise TraceError(f"it is no archive of arrays ({error})") from None


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> StoredTensor:
    with archive.open(member) as opened:
        stored, kind = _described(cast("BinaryIO", opened), str(PurePath(member.filename).with_suffix("")))
        begin = opened.tell()
    if kind is None:
        return stored
    if begin + stored.size * kind.itemsize != member.file_size:
        raise TraceError(f"the numbers of {stored.name[:80]!r} are more or fewer than its shape has; it is damaged")
    pieces = functools.partial(_pieces, (archive, member), begin, kind, stored.size)
    return StoredTensor(stored.name, stored.dtype, stored.shape, pieces, stored.column_major)


def _pieces(
    place: tuple[zipfile.ZipFile, zipfile.ZipInfo], begin: int, kind: np.dtype[Any], size: int
) -> Iterator[Array]:
    archive, member = place
    try:
        with archive.open(member) as opened:
            opened.read(begin)
            yield from read_pieces(cast("BinaryIO", opened), kind, size)
    except _UNREADABLE as error:
        raise TraceError(f"{member.filename[:80]!r} in it can't be unpacked ({error})") from None


def _described(file: BinaryIO, name: str) -> tuple[StoredTensor, np.dtype[Any] | None]:
    """The form of an array by its header, and the type of its numbers; None where they are none."""
    if len(name) > MOST_NAME:
        raise TraceError(f"the name {name[:80]!r}... of an array in it is too long")
    try:
        header = ast.literal_eval(_header(file))
        shape, column_major, told = header["shape"], header["fortran_order"], header["descr"]
        kind = np.dtype(told) if isinstance(told, str) else None
    except (ValueError, TypeError, KeyError, SyntaxError, RecursionError, MemoryError):
        raise TraceError(f"{name[:80]!r} is no array of NumPy; it is damaged") from None
    if not is_shape(shape) or not isinstance(column_major, bool):
        raise TraceError(f"what it says of the array {name[:80]!r} can't be; it is damaged")
    if kind is None or kind.name not in MEASURABLE:
        return StoredTensor(name, "unknown", shape), None
    return StoredTensor(name, kind.name, shape, None, column_major), kind


def _header(file: BinaryIO) -> str:
    """The text of a header: that of a dictionary. NumPy's own reader warns, and mends what old versions wrote.

    Raises:
        ValueError: If there is none.
    """
    magic = file.read(8)
    width = {1: 2, 2: 4, 3: 4}.get(magic[6]) if magic.startswith(_MAGIC) and len(magic) == len(_MAGIC) + 2 else None
    if width is None:
        raise ValueError("no header")
    length = int.from_bytes(file.read(width), "little")
    text = file.read(length) if length <= _MOST_HEADER else b""
    if len(text) != length:
        raise ValueError("the header is cut off")
    return text.decode("utf-8" if magic[6] > 2 else "latin-1").strip()
