"""Tensors in a file of the safetensors format (https://github.com/huggingface/safetensors).

What that format or NumPy's form of it lacks is kept as what it consists of: bfloat16 and float8 as unsigned integers of
their width, complex128 as pairs of float64, strings as lengths and texts. The capture's header knows the true dtype.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.capture.texts import DTYPE as TEXTS
from tensordbg.capture.texts import are_texts, packed_texts, unpacked_texts
from tensordbg.errors import CaptureError
from tensordbg.opening import name_of_open, open_regular

Array = npt.NDArray[Any]

_PLAIN = frozenset(
    {"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64"}
)
_BY_WIDTH = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def storable(array: Array) -> bool:
    """Whether the elements can be kept at all: other objects than bytes can't."""
    if array.dtype.kind == "V":
        return array.dtype.itemsize in _BY_WIDTH
    return array.dtype.kind in "biufc" or are_texts(array)


def digest_of(array: Array) -> str:
    """SHA-256 of the bits of all elements. Any NaN counts as any other, as its sign depends on the kernel's code."""
    if array.dtype.kind == "O":
        return hashlib.sha256(packed_texts(array).tobytes()).hexdigest()
    numbers = np.stack([array.real, array.imag]) if array.dtype.kind == "c" else array
    if numbers.dtype.kind in "fV":
        missing = np.isnan(numbers)
        numbers = np.where(missing, np.asarray(np.nan, numbers.dtype), numbers)
    return hashlib.sha256(numbers.tobytes()).hexdigest()


def dtype_of(array: Array) -> str:
    """The name of a dtype in the header."""
    return TEXTS if array.dtype.kind == "O" else array.dtype.name


def size_of(array: Array) -> int:
    """How many bytes it takes there."""
    return packed_texts(array).nbytes if array.dtype.kind == "O" else array.nbytes


def write_tensors(path: Path, tensors: Mapping[str, Array]) -> None:
    """Writes a file.

    Args:
        path: Where.
        tensors: By name; any shape, and any dtype that is `storable`.

    Raises:
        OSError: If it can't be written.
    """
    from safetensors.numpy import save_file

    save_file({name: _plain(array) for name, array in tensors.items()}, path)


def packed_tensors(tensors: Mapping[str, Array]) -> bytes:
    """The content of such a file; see `write_tensors`."""
    from safetensors.numpy import save

    return bytes(save({name: _plain(array) for name, array in tensors.items()}))


def read_tensors(path: Path) -> dict[str, Array]:
    """All tensors of a file as they were stored; `restored` gives one its true dtype.

    Raises:
        CaptureError: If it is missing, or not in the format.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        with open_regular(path) as file:
            return dict(load_file(name_of_open(file, path)))  # it maps what has that name, whatever it is
    except FileNotFoundError:
        raise CaptureError(f"{path} is missing; the capture is not whole, take another") from None
    except (OSError, SafetensorError, ValueError, KeyError, TypeError, MemoryError) as error:
        why = getattr(error, "strerror", None) or error
        raise CaptureError(f"{path} can't be read: {why}; it must be a file of safetensors, take another") from None


def restored(stored: Array, dtype: str, shape: tuple[int, ...] = ()) -> Array:
    """A stored tensor with its true dtype, strings also with their shape.

    Raises:
        CaptureError: If a tensor of that dtype is not stored so.
    """
    if dtype == TEXTS:
        return unpacked_texts(stored, shape)
    if dtype == str(stored.dtype):
        return stored
    if dtype == "complex128" and stored.dtype == np.float64 and stored.ndim and stored.shape[-1] == 2:
        return np.ascontiguousarray(stored).view(np.complex128)[..., 0]
    wanted = _foreign(dtype)
    if wanted is None or stored.dtype != _BY_WIDTH.get(wanted.itemsize):
        raise CaptureError(f"a tensor of {dtype} is stored as {stored.dtype}, which can't be; take another capture")
    return stored.view(wanted)


def _plain(array: Array) -> Array:
    if array.dtype.kind == "O":
        return packed_texts(array)
    array = np.ascontiguousarray(array).reshape(array.shape)
    if str(array.dtype) in _PLAIN or str(array.dtype) == "complex64":
        return array
    if array.dtype == np.complex128:
        return array[..., np.newaxis].view(np.float64)
    return array.view(_BY_WIDTH[array.dtype.itemsize])


def _foreign(dtype: str) -> np.dtype[Any] | None:
    """A dtype that NumPy itself lacks."""
    import ml_dtypes  # comes with every framework that has such numbers

    kind = getattr(ml_dtypes, dtype, None) if dtype.startswith(("bfloat", "float8", "int4", "uint4")) else None
    return None if kind is None else np.dtype(kind)
