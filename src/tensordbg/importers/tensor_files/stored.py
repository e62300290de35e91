"""A tensor in a file: its name and form, and its elements, which are read when they are asked for, piece by piece."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from tensordbg.errors import TraceError
from tensordbg.health import measure
from tensordbg.health.spec import MEASURABLE
from tensordbg.model import NONE, Health
from tensordbg.trace.events import TensorEvent
from tensordbg.trace.raw.record import RecordFlag
from tensordbg.trace.raw.values import numpy_dtype

Array = npt.NDArray[Any]

PIECE = 2**26
"""So many bytes are read at once of what is too large to be held whole."""
WHOLE = 2**30
"""A tensor of more bytes is measured, and its elements are not kept."""
MOST_TENSORS = 2**20
MOST_NAME = 2**12
_MOST_ELEMENTS = 2**48


@dataclass(frozen=True)
class StoredTensor:
    """One tensor of a file."""

    name: str
    dtype: str
    """As a trace names it; `unknown` where it has no such numbers."""
    shape: tuple[int, ...]
    pieces: Callable[[], Iterator[Array]] | None = None
    """Gives the elements end to end, in flat arrays of no more than `PIECE` bytes; None where they are no numbers."""
    column_major: bool = False
    """Whether the first index runs fastest in them."""

    @property
    def size(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)


def read_pieces(file: BinaryIO, dtype: np.dtype[Any], size: int) -> Iterator[Array]:
    """Reads so many numbers from where a file stands.

    Raises:
        TraceError: If it ends before.
    """
    left = size * dtype.itemsize
    most = PIECE - PIECE % dtype.itemsize
    while left:
        data = file.read(min(left, most))
        if len(data) != min(left, most):
            raise TraceError("it ends within a tensor; copy it again")
        left -= len(data)
        yield np.frombuffer(data, dtype)


def event_of(tensor: StoredTensor, most_kept: int) -> TensorEvent:
    """Measures a tensor, with its elements where they take no more than so many bytes.

    Raises:
        TraceError: If the file has not what it announced.
    """
    form = TensorEvent(tensor.dtype, tensor.shape, tensor.size)
    if tensor.pieces is None or tensor.dtype not in MEASURABLE:
        return form
    pieces = tensor.pieces()
    try:
        kind = numpy_dtype(tensor.dtype)
        if tensor.size * kind.itemsize > min(most_kept, WHOLE):
            return replace(form, health=reduce(_joined, map(measure, pieces), Health(0)), flags=RecordFlag.HEALTH)
        elements = _whole(tensor, pieces, kind)
    finally:
        getattr(pieces, "close", lambda: None)()
    return replace(form, health=measure(elements), flags=RecordFlag.HEALTH, elements=elements)


def _whole(tensor: StoredTensor, pieces: Iterable[Array], kind: np.dtype[Any]) -> Array:
    elements, filled = np.empty(tensor.size, kind), 0
    for piece in pieces:
        elements[filled : filled + len(piece)] = piece
        filled += len(piece)
    if not tensor.column_major:
        return elements.reshape(tensor.shape)
    return np.ascontiguousarray(elements.reshape(tensor.shape[::-1]).T)


def _joined(a: Health, b: Health) -> Health:
    """The health of two parts of a tensor together."""
    return Health(
        size=a.size + b.size,
        negative=a.negative + b.negative,
        zero=a.zero + b.zero,
        neg_inf=a.neg_inf + b.neg_inf,
        pos_inf=a.pos_inf + b.pos_inf,
        nan=a.nan + b.nan,
        subnormal=a.subnormal + b.subnormal,
        min=float(np.fmin(a.min, b.min)),
        max=float(np.fmax(a.max, b.max)),
        sum=a.sum + b.sum,
        sum_squares=a.sum_squares + b.sum_squares,
        first_bad=a.first_bad if a.first_bad != NONE else (NONE if b.first_bad == NONE else a.size + b.first_bad),
    )


def is_shape(value: object) -> bool:
    """Whether something that a file says is the shape of a tensor."""
    return (
        isinstance(value, (list, tuple))
        and all(type(each) is int and 0 <= each < _MOST_ELEMENTS for each in value)
        and len(value) <= 64
        and math.prod(value) < _MOST_ELEMENTS
    )
