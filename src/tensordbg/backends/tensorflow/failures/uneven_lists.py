"""Lists whose parts are of different lengths, of which no tensor can be made: where the first such part is.

Python and NumPy say of them neither which list it was nor which of its parts.
"""

from __future__ import annotations

import contextlib
import re
import traceback
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from tensordbg.packages import FRAMEWORKS, is_part_of

_NOTE = "_tensordbg_uneven_list"
_SAYS_SO = re.compile(r"non-rectangular Python sequence|inhomogeneous shape|inconsistent shape")
_MOST_LOOKED_AT = 100_000


def note_uneven_list(error: BaseException, trace: TracebackType | None) -> None:
    """Notes on an exception the list that TensorFlow could not take, as its traceback passes by with all frames."""
    if not hasattr(error, _NOTE) and (found := _uneven_in(error, trace)) is not None:
        with contextlib.suppress(AttributeError):
            setattr(error, _NOTE, found)


def uneven_list(error: BaseException) -> Any | None:
    """Returns the list that TensorFlow could not take; None where that was something else."""
    noted = getattr(error, _NOTE, None)
    return _uneven_in(error, error.__traceback__) if noted is None else noted


def _uneven_in(error: BaseException, trace: TracebackType | None) -> Any | None:
    if not isinstance(error, (TypeError, ValueError)) or not _SAYS_SO.search(str(error)):
        return None
    return next((each for each in _lists(trace) if uneven_part(each)), None)


def uneven_part(value: Any) -> str:
    """Says which part of a list is the first whose length is another: `uneven: [0] has 3 elements, [1] has 2`."""
    left = [_MOST_LOOKED_AT]
    return next((f"uneven: {words}" for words in _uneven(value, "", left)), "")


def _uneven(value: Any, path: str, left: list[int]) -> Iterator[str]:
    if not _is_list(value):
        return
    sizes = [_size(each) for each in value]
    left[0] -= len(sizes)
    if left[0] < 0:
        return
    other = next((k for k, size in enumerate(sizes) if size != sizes[0]), None)
    if other is not None:
        yield f"{path}[0] {_words(sizes[0], 'element')}, {path}[{other}] {_words(sizes[other])}"
        return
    for k, each in enumerate(value):
        yield from _uneven(each, f"{path}[{k}]", left)


def _words(size: int | None, unit: str = "") -> str:
    if size is None:
        return "is no list"
    return f"has {size} {unit}{'s' * (size != 1)}" if unit else f"has {size}"


def _size(value: Any) -> int | None:
    """How many elements a part has, None for what is a number or a text."""
    if isinstance(value, np.ndarray):
        return len(value) if value.ndim else None
    return len(value) if _is_list(value) else None


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _lists(trace: TracebackType | None) -> Iterator[Sequence[Any]]:
    """The lists that the functions of TensorFlow and Keras were given, the outermost first."""
    for frame, _ in traceback.walk_tb(trace):
        code = frame.f_code
        if is_part_of(code.co_filename, FRAMEWORKS):
            names = frame.f_locals
            given = (names[name] for name in code.co_varnames[: code.co_argcount] if name in names)
            yield from (each for each in given if _is_list(each))
