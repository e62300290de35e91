"""Tensors of a log: which of their properties it holds depends on the debugger's mode."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.errors import UsageError
from tensordbg.health import measure
from tensordbg.health.spec import MEASURABLE, TENSORFLOW_DTYPES
from tensordbg.model import NONE, SOMEWHERE, Health
from tensordbg.trace.events import TensorEvent
from tensordbg.trace.raw.record import RecordFlag
from tensordbg.trace.raw.values import numpy_dtype

NO_TENSOR, CURT_HEALTH, CONCISE_HEALTH, FULL_HEALTH, SHAPE, _, FULL_TENSOR = range(1, 8)
"""The modes, by their number in the log."""

_LISTS = {
    "float32": "float_val",
    "float64": "double_val",
    "complex64": "scomplex_val",
    "complex128": "dcomplex_val",
    "int64": "int64_val",
    "bool": "bool_val",
    "uint32": "uint32_val",
    "uint64": "uint64_val",
    **dict.fromkeys(("int32", "uint8", "int16", "int8", "uint16"), "int_val"),
    **dict.fromkeys(("float16", "bfloat16"), "half_val"),
    **dict.fromkeys(("float8_e5m2", "float8_e4m3fn"), "float8_val"),
}
"""Where a tensor's elements lie, if not as bytes."""

_MOST_ELEMENTS = 2**48
_KEPT_DIMS = 6


def described(mode: int, tensor: Any) -> TensorEvent:
    """Describes a tensor by a log in some mode; what it does not say, or what can't be read, stays unknown."""
    try:
        if mode == FULL_TENSOR:
            return _of_value(tensor)
        numbers = [float(number) for number in _elements(tensor, "float64")] if tensor.dtype == 2 else []
        return _SUMMARIES[mode](numbers) if mode in _SUMMARIES else TensorEvent()
    except (ValueError, OverflowError, IndexError, UsageError):
        return TensorEvent()


def elements_of(tensor: Any) -> npt.NDArray[Any] | None:
    """The elements of a whole tensor, in its shape; None where they are no numbers, or can't be read."""
    try:
        form = _form_of(tensor)
        return None if form.dtype not in MEASURABLE else _elements(tensor, form.dtype).reshape(form.shape)
    except (ValueError, OverflowError, UsageError):
        return None


def _curt(numbers: list[float]) -> TensorEvent:
    _, is_bad = numbers
    return TensorEvent(health=Health(0, first_bad=SOMEWHERE if is_bad else NONE), flags=RecordFlag.FINITENESS)


def _concise(numbers: list[float]) -> TensorEvent:
    _, size, *bad = map(int, numbers)
    return TensorEvent(size=size, health=_health(size, bad), flags=RecordFlag.FINITENESS | RecordFlag.SPECIALS)


def _full(numbers: list[float]) -> TensorEvent:
    _, _, dtype, rank, size, neg_inf, pos_inf, nan, negative, zero, _ = map(int, numbers)
    flags = RecordFlag.FINITENESS | RecordFlag.SPECIALS | RecordFlag.SIGNS
    health = _health(size, [neg_inf, pos_inf, nan], negative, zero)
    return TensorEvent(TENSORFLOW_DTYPES.get(dtype, "unknown"), _known_shape(rank, size), size, health, flags)


def _shape(numbers: list[float]) -> TensorEvent:
    _, dtype, rank, size, *dims = map(int, numbers)
    # Of more than six dimensions only the last six are kept.
    shape = tuple(dims[:rank]) if rank <= _KEPT_DIMS else None
    if not _sensible(size) or (shape is not None and math.prod(shape) != size):
        raise ValueError("shape and size do not fit together")
    return TensorEvent(TENSORFLOW_DTYPES.get(dtype, "unknown"), shape, size)


_SUMMARIES = {CURT_HEALTH: _curt, CONCISE_HEALTH: _concise, FULL_HEALTH: _full, SHAPE: _shape}


def _health(size: int, bad: list[int], negative: int = 0, zero: int = 0) -> Health:
    neg_inf, pos_inf, nan = bad
    if not _sensible(size) or min(negative, zero, *bad) < 0 or negative + zero + sum(bad) > size:
        raise ValueError("the counts do not fit together")
    first_bad = SOMEWHERE if sum(bad) else NONE
    return Health(size, negative, zero, neg_inf, pos_inf, nan, sum=math.nan, sum_squares=math.nan, first_bad=first_bad)


def _sensible(size: int) -> bool:
    return 0 <= size < _MOST_ELEMENTS


def _known_shape(rank: int, size: int) -> tuple[int, ...] | None:
    """The shape, where rank and size alone tell it."""
    return {0: (), 1: (size,)}.get(rank)


@dataclass(frozen=True)
class _Form:
    """Type and shape of a whole tensor in the log."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return math.prod(self.shape)


def _form_of(tensor: Any) -> _Form:
    return _Form(TENSORFLOW_DTYPES.get(tensor.dtype, "unknown"), tuple(dim.size for dim in tensor.tensor_shape.dim))


def _of_value(tensor: Any) -> TensorEvent:
    form = _form_of(tensor)
    if form.dtype == "unknown" or min(form.shape, default=0) < 0 or not _sensible(form.size):
        return TensorEvent()
    if form.dtype not in MEASURABLE:
        return TensorEvent(form.dtype, form.shape, form.size)
    values = _elements(tensor, form.dtype)
    if len(values) != form.size:
        return TensorEvent(form.dtype, form.shape, form.size)
    return TensorEvent(form.dtype, form.shape, form.size, measure(values), RecordFlag.HEALTH)


def _elements(tensor: Any, dtype: str) -> npt.NDArray[Any]:
    """The elements of a tensor, end to end."""
    kind = numpy_dtype(dtype)
    if tensor.tensor_content:
        return np.frombuffer(tensor.tensor_content, kind)
    listed = getattr(tensor, _LISTS[dtype])
    if dtype in ("float16", "bfloat16"):
        return np.array([number & 0xFFFF for number in listed], np.uint16).view(kind)
    if dtype.startswith("float8"):
        return np.frombuffer(listed, kind)
    if dtype.startswith("complex"):
        return np.array(listed, np.float32 if dtype == "complex64" else np.float64).view(kind)
    return np.array(listed, kind)
