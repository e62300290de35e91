"""Under which name or as which literal the running call has a value that TensorFlow has converted: `scale`, `2.0`.

What NumPy or Python holds is another object once it is a tensor. So what the call itself mentions is compared with it,
once for each place in the program, and only where one thing alone equals it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.recording.bound_names import Mention, mentions, parts_of, values_of

Array = npt.NDArray[Any]

_MOST_FRAMES = 64
_NEAR = 16
"""So many frames stand between the call of an operation and its kernel; behind more, a number is TensorFlow's own."""

_NEAR_OPERATOR = 32
"""The same for Python's operators, which take what the text says, through more frames in a function that is traced."""

_NEAREST = 12
"""The same for numbers that TensorFlow itself is likely to make on the way."""

_MOST_ELEMENTS = 1_000_000
_LONGEST_LIST = 1000
_LONGEST_LITERAL = 24

_FEW = 2
"""Of fewer elements a value may be equal by chance."""

_OPERATORS = ("BINARY_", "COMPARE_", "INPLACE_", "UNARY_", "CONTAINS_")
"""How the instructions begin that take what they mention, and nothing else."""

_COMMON = frozenset({-1, 0, 1})


def name_of_equal(frame: FrameType | None, array: Array, is_own: Callable[[str], bool]) -> str:
    """The name or literal of the only thing that the program's innermost running call mentions which equals a value."""
    for between in range(_NEAR_OPERATOR if array.size < _FEW else _MOST_FRAMES):
        if frame is None or array.size > _MOST_ELEMENTS:
            break
        if is_own(frame.f_code.co_filename):
            if between >= _NEAR and array.size < _FEW and not mentions(frame).instruction.startswith(_OPERATORS):
                break
            found = dict.fromkeys(_equal_in(frame, array, between))
            return next(iter(found)) if len(found) == 1 else ""
        frame = frame.f_back
    return ""


def _equal_in(frame: FrameType, array: Array, between: int) -> Iterator[str]:
    said = mentions(frame)
    common = array.ndim == 0 and array.dtype.kind in "biuf" and array.item() in _COMMON
    if common and between > _NEAREST and not said.instruction.startswith(_OPERATORS):
        return
    for name, value in _held(frame, said):
        if _is_equal(value, array):
            yield name
    for literal in said.constants:
        if _is_equal(literal, array) and len(repr(literal)) <= _LONGEST_LITERAL:
            yield repr(literal)


def _held(frame: FrameType, said: Mention) -> Iterator[tuple[str, Any]]:
    for name, value in values_of(frame, said.names).items():
        yield name, value
        for part, each in parts_of(value, said.attributes):
            yield f"{name}{part}", each


def _is_equal(value: Any, array: Array) -> bool:
    """Whether a value that Python or NumPy holds is what a tensor was made from; no code of the program runs."""
    if not _is_plain(value):
        return False
    try:
        held = np.asarray(value)
        if held.shape != array.shape or held.size > _MOST_ELEMENTS:
            return False
        if held.dtype.kind == "O" or _family(held) != _family(array):
            return False
        if held.dtype.kind == "U":
            return array.ndim == 0 and str(value).encode() == array.item()
        with np.errstate(all="ignore"):
            same = held.astype(array.dtype)
        return bool(np.array_equal(same, array, equal_nan=array.dtype.kind in "fc"))
    except (TypeError, ValueError, OverflowError):
        return False


def _family(array: Array) -> str:
    return next(name for name in ("b", "c", "SUO", "") if not name or array.dtype.kind in name)


def _is_plain(value: Any) -> bool:
    kind = type(value)
    if kind in {list, tuple}:
        return 0 < len(value) <= _LONGEST_LIST and all(
            _is_plain(each) for each in itertools.islice(value, _LONGEST_LIST)
        )
    return kind in {bool, int, float, complex, str, bytes, np.ndarray} or (
        issubclass(kind, np.generic) and kind.__module__ in {"numpy", "ml_dtypes"}
    )
