"""Tensors that PyTorch's Python code was given and refused: arguments of the frame that raised, as no operation did."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from types import FrameType
from typing import Any

from tensordbg.packages import is_among_packages, is_part_of

_MOST = 16
"""Who takes more tensors than these is not the one who refuses one of them."""
_DEEPEST = 3


def refused_in_python(error: BaseException, packages: AbstractSet[str]) -> list[Any]:
    """The tensors among the arguments of the innermost frame that has some, up to the first frame of the program."""
    for frame in reversed([frame for frame, _ in traceback.walk_tb(error.__traceback__)]):
        file = frame.f_code.co_filename
        if not is_among_packages(file):
            return []
        if not is_part_of(file, packages):
            continue  # what they call themselves, such as `opt_einsum`
        found = _once(_tensors(_arguments(frame), _DEEPEST))
        if found:
            return found if len(found) <= _MOST else []
    return []


def _arguments(frame: FrameType) -> Iterator[Any]:
    """What a function was called with, as its names stand for it now."""
    code, names = frame.f_code, frame.f_locals
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    yield from (names[name] for name in code.co_varnames[:count] if name in names and name != "self")


def _tensors(values: Iterable[Any], depth: int) -> Iterator[Any]:
    from torch import Tensor

    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)) and depth and len(value) <= _MOST:
            yield from _tensors(value, depth - 1)
        elif isinstance(value, dict) and depth and len(value) <= _MOST:
            yield from _tensors(list(value.values()), depth - 1)


def _once(values: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if not any(value is each for each in found):
            found.append(value)
    return found
