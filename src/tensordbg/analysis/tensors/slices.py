"""Parts of an array as they are written in Python: `[0, :, ::2]`, `..., -1`."""

from __future__ import annotations

import re
from types import EllipsisType
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.errors import UsageError

Array = npt.NDArray[Any]
Index = tuple[int | slice | EllipsisType, ...]

_NUMBER = r"[+-]?\d{1,18}"
_INTEGER = re.compile(_NUMBER)
_SLICE = re.compile(rf"({_NUMBER})?\s*:\s*({_NUMBER})?\s*(?::\s*({_NUMBER})?)?")


def parse_slice(text: str) -> Index:
    """Reads an index; nothing is evaluated.

    Raises:
        UsageError: If it is none.
    """
    inner = text.strip()
    if inner.startswith("[") and inner.endswith("]"):
        inner = inner[1:-1].strip()
    items = [item.strip() for item in inner.removesuffix(",").split(",")] if inner else []
    index = tuple(_item(item, text) for item in items)
    if index.count(...) > 1:
        raise UsageError(f"the slice {text!r} has `...` twice, and only one can be told; leave one out")
    return index


def _item(item: str, text: str) -> int | slice | EllipsisType:
    if item == "...":
        return ...
    if _INTEGER.fullmatch(item):
        return int(item)
    match = _SLICE.fullmatch(item)
    if match is None:
        raise UsageError(
            f"{item!r} in the slice {text!r} is no part of one; write numbers, `a:b`, `a:b:c` or `...`, such as "
            "'[0, :, ::2]'"
        )
    first, last, stride = (None if part is None else int(part) for part in match.groups())
    if stride == 0:
        raise UsageError(f"the slice {text!r} goes on by 0, which ends never; give a stride that is not 0")
    return slice(first, last, stride)


def take(array: Array, index: Index) -> Array:
    """The part of an array.

    Raises:
        UsageError: If the array has no such part.
    """
    try:
        part: Any = array[index]
    except IndexError as error:
        raise UsageError(f"no such slice of a tensor of shape {list(array.shape)}: {error}; mind its shape") from None
    if array.dtype != object or isinstance(part, np.ndarray):
        return np.asarray(part)
    # One string; NumPy's own type for bytes would lose zeros at its end.
    alone = np.empty((), dtype=object)
    alone[()] = part
    return alone
