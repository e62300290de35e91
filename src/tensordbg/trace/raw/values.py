"""The elements of tensors that were kept whole, in the files `values/NNNNNN.bin`.

Position p of a row of `tensors`, counted over all files, lies in file p // `VALUE_FILE_BYTES`; a tensor may go on in
the next file. Its dtype, shape and health are in its row, so what is read can be checked against them.
"""

from __future__ import annotations

import math
import mmap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.errors import UsageError
from tensordbg.health import measure
from tensordbg.health.spec import MEASURABLE
from tensordbg.model import Health
from tensordbg.opening import need, open_regular, size_of
from tensordbg.trace.damage import damaged, missing, reading_of
from tensordbg.trace.program.metadata import VALUE_FILE_BYTES
from tensordbg.trace.raw import strings

Array = npt.NDArray[Any]

_ALIGNMENT = 64
_MAPPED_FROM = 2**20
"""Bytes from which on a tensor is mapped, not read: a process may have only so many mappings."""

_ROUNDING = dict.fromkeys(("float32", "bfloat16", "float16"), 2.0**-21)
"""So far may a sum be from that of another processor, of the root of the squares' sum times the number of elements,
where some processors add up in less than double precision."""

_ORDER = 1e-9
"""The same where only the order differs."""

_FOREIGN = frozenset({"bfloat16", "float8_e4m3fn", "float8_e5m2"})
"""Dtypes that NumPy has only with the package `ml_dtypes`."""


@dataclass(frozen=True)
class KeptTensor:
    """The elements that a row of `tensors` says were kept."""

    position: int
    dtype: str
    shape: tuple[int, ...]
    health: Health | None
    """What they were when they were recorded; None where that is not known."""


class ValueFiles:
    """Reads the kept tensors of one trace."""

    def __init__(self, folder: Path, file_bytes: int = VALUE_FILE_BYTES) -> None:
        """Of the trace in a folder."""
        self._folder = folder / "values"
        self._file_bytes = file_bytes

    def read(self, kept: KeptTensor) -> Array:
        """The elements, as an array that can't be written.

        Raises:
            TraceError: If a file is missing, cut, or holds something else.
            UsageError: If NumPy lacks the dtype.
        """
        count = math.prod(kept.shape)
        path = self._path(kept.position // self._file_bytes)
        if kept.position < 0 or kept.position % _ALIGNMENT or min(kept.shape, default=0) < 0:
            raise damaged(path, f"no tensor lies at {kept.position}")
        with reading_of(path):
            array = self._elements(kept, count).reshape(kept.shape)
        fits = strings.fits if kept.dtype == strings.DTYPE else _fits
        if kept.health is not None and not fits(array, kept.health):
            raise damaged(path, f"at {kept.position} lies something else than was recorded")
        return array

    def beginning(self, position: int, count: int) -> list[tuple[bytes, int]]:
        """The beginnings of the first of so many strings, each with its length.

        Raises:
            TraceError: If a file is missing, cut, or holds something else.
        """
        path = self._path(position // self._file_bytes)
        if position < 0 or position % _ALIGNMENT or count < 0:
            raise damaged(path, f"no tensor lies at {position}")
        with reading_of(path):
            return strings.first_texts(count, lambda begin, size: self._bytes(position + begin, size))

    def _elements(self, kept: KeptTensor, count: int) -> Array:
        if kept.dtype == strings.DTYPE:
            return strings.read_texts(count, lambda begin, size: self._bytes(kept.position + begin, size))
        dtype = numpy_dtype(kept.dtype)
        return np.frombuffer(self._bytes(kept.position, count * dtype.itemsize), dtype, count)

    def _bytes(self, position: int, size: int) -> bytes | memoryview:
        """The bytes at a position, from as many files as they lie in."""
        index, offset = divmod(position, self._file_bytes)
        if offset + size <= self._file_bytes:
            return _piece(self._path(index), offset, size)
        pieces = []
        while size:
            index, offset = divmod(position, self._file_bytes)
            length = min(size, self._file_bytes - offset)
            pieces.append(bytes(_piece(self._path(index), offset, length)))
            position, size = position + length, size - length
        return b"".join(pieces)

    def _path(self, index: int) -> Path:
        return self._folder / f"{index:06d}.bin"


def numpy_dtype(name: str) -> np.dtype[Any]:
    """NumPy's dtype of a name that a trace gives.

    Raises:
        UsageError: If NumPy does not have it.
    """
    if name not in MEASURABLE:
        raise UsageError(f"elements of dtype {name!r} are not kept; `tdbg show` without --values tells what is known")
    if name not in _FOREIGN:
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        raise UsageError(f"NumPy has no dtype {name!r} of its own; `pip install ml_dtypes` brings it") from None
    found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return found


def _piece(path: Path, offset: int, size: int) -> bytes | memoryview:
    """Bytes of one file.

    Raises:
        TraceError: If it is missing or ends before them.
    """
    if not size:
        return b""
    try:
        with open_regular(path, path.parents[1]) as file:
            if size_of(file) < offset + size:
                raise damaged(path, f"it ends before {offset + size}")
            need(path, [(offset, offset + size)])
            if size < _MAPPED_FROM:
                file.seek(offset)
                return file.read(size)
            before = offset % mmap.ALLOCATIONGRANULARITY
            memory = mmap.mmap(file.fileno(), before + size, access=mmap.ACCESS_READ, offset=offset - before)
            return memoryview(memory)[before:]
    except FileNotFoundError:
        raise missing(path) from None


def _fits(array: Array, recorded: Health) -> bool:
    """Whether elements have the health that they were recorded with.

    Counts must be equal; sums are added up in another order, and float32 partly in single precision, on another
    processor.
    """
    found = measure(array)
    counts = ("size", "negative", "zero", "neg_inf", "pos_inf", "nan", "first_bad")
    if any(getattr(found, name) != getattr(recorded, name) for name in counts):
        return False
    ends = ((found.min, recorded.min), (found.max, recorded.max))
    if not all(math.isclose(a, b, rel_tol=1e-6) or (math.isnan(a) and math.isnan(b)) for a, b in ends):
        return False
    room = _ROUNDING.get(array.dtype.name, _ORDER) * math.sqrt(max(0.0, recorded.size * recorded.sum_squares))
    return not abs(found.sum - recorded.sum) > room
