"""The tensors that a function was given whose frame stands in a traceback."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any

import numpy as np

from tensordbg.packages import FRAMEWORKS, is_of

MOST = 16
"""Who takes more tensors than these is not the one who refuses one of them."""
_ASKED_FOR = "fetches"
"""What a session is to compute is not what it is given."""
_DEEPEST = 4


def is_in(value: Any, values: list[Any]) -> bool:
    """Whether a value itself, not one that equals it, is among some."""
    return any(value is each for each in values)


def arguments_of(frame: FrameType) -> Iterator[Any]:
    """Gives what a function was called with, as its names stand for it now."""
    code, names = frame.f_code, frame.f_locals
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    yield from (names[name] for name in code.co_varnames[:count] if name in names and name != _ASKED_FOR)


def tensors_in(values: Iterable[Any], depth: int = _DEEPEST) -> Iterator[Any]:
    """The tensors and arrays among some values, in lists and dictionaries too."""
    for value in values:
        if isinstance(value, np.ndarray) or is_tensor(value):
            yield value
        elif isinstance(value, (list, tuple)) and depth and len(value) <= MOST:
            yield from tensors_in(value, depth - 1)
        elif isinstance(value, dict) and depth and len(value) <= MOST:
            yield from tensors_in([each for pair in value.items() for each in pair], depth - 1)


def is_tensor(value: Any) -> bool:
    """Whether it is one of TensorFlow's or Keras's.

    Its class alone is asked, as a property of a value of the program's might do anything.
    """
    kind = type(value)
    is_described = hasattr(kind, "shape") and hasattr(kind, "dtype")
    return is_of(kind.__module__, FRAMEWORKS) and is_described and not kind.__name__.endswith("Spec")


def once(values: Iterable[Any]) -> list[Any]:
    """Each of some values once, in the order in which they come first."""
    found: list[Any] = []
    for value in values:
        if not is_in(value, found):
            found.append(value)
    return found
