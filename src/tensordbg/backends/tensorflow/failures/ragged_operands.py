"""Ragged tensors that do not go together: how long their rows are.

TensorFlow compares the places where the rows begin, or what it knows of shapes, and its message tells only those. What
the program itself gave stands in the frame that it called.
"""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

import numpy as np

from tensordbg.backends.tensorflow.failures.frame_arguments import arguments_of, once, tensors_in
from tensordbg.enumeration import rows_text
from tensordbg.model import StatedInput
from tensordbg.packages import FRAMEWORKS, is_part_of

_NOTE = "_tensordbg_ragged_operands"
_RAGGED_CODE = "tensorflow.python.ops.ragged"


def note_ragged_operands(error: BaseException, trace: TracebackType | None) -> None:
    """Notes on an exception of TensorFlow's ragged code what that was given, as its traceback has all frames."""
    if found := _operands(trace, is_known=hasattr(error, _NOTE)):
        with contextlib.suppress(AttributeError):
            setattr(error, _NOTE, found)


def ragged_operands(error: BaseException, name_of: Callable[[Any], str]) -> tuple[StatedInput, ...]:
    """Lists what TensorFlow's ragged code was given that raised an error, with the lengths of rows; else nothing.

    Args:
        error: What was raised.
        name_of: Gives the name that the line which failed has for a value, empty where it has none.
    """
    operands = getattr(error, _NOTE, None) or _operands(error.__traceback__, is_known=False)
    lengths = [_lengths(each) for each in operands]
    level = _level(lengths)
    row = _first_unlike([each[level] for each in lengths if each is not None and level < len(each)])
    return tuple(
        _stated(value, name_of(value), [] if of is None else of[level : level + 1], level, row)
        for value, of in zip(operands, lengths, strict=True)
    )


def _operands(trace: TracebackType | None, *, is_known: bool) -> list[Any]:
    """The tensors that the outermost function of TensorFlow was given, where its ragged code raised.

    Args:
        trace: The frames that are there: those of inner functions have gone before, as the error went by them.
        is_known: Whether ragged code was among those.
    """
    frames = [frame for frame, _ in traceback.walk_tb(trace)]
    own = next((k for k in range(len(frames), 0, -1) if not _is_of_frameworks(frames[k - 1])), 0)
    called = frames[own:]
    if not is_known and not any(str(frame.f_globals.get("__name__", "")).startswith(_RAGGED_CODE) for frame in called):
        return []
    given = (once(tensors_in(arguments_of(frame))) for frame in called)
    return next((each for each in given if len(each) > 1 and any(map(_is_ragged, each))), [])


def _is_of_frameworks(frame: FrameType) -> bool:
    return is_part_of(frame.f_code.co_filename, FRAMEWORKS)


def _is_ragged(value: Any) -> bool:
    return type(value).__name__ == "RaggedTensor"


def _lengths(value: Any) -> list[np.ndarray[Any, Any]] | None:
    """The lengths of rows, of the outermost ragged dimension first; None of a dense tensor or in a graph."""
    if not _is_ragged(value) or not all(hasattr(each, "numpy") for each in value.nested_row_splits):
        return None
    return [np.diff(each.numpy()) for each in value.nested_row_splits]


def _level(lengths: list[list[np.ndarray[Any, Any]] | None]) -> int:
    """The outermost ragged dimension in which lengths differ, else the first."""
    known = [each for each in lengths if each is not None]
    levels = range(min(map(len, known), default=0))
    return next((k for k in levels if any(not np.array_equal(each[k], known[0][k]) for each in known)), 0)


def _first_unlike(lengths: list[np.ndarray[Any, Any]]) -> int | None:
    """The first row that is not equally long in all, where all have as many."""
    if len(lengths) < 2 or len({len(each) for each in lengths}) > 1:
        return None
    unlike = np.flatnonzero(np.any([each != lengths[0] for each in lengths], axis=0))
    return int(unlike[0]) if len(unlike) else None


def _stated(value: Any, name: str, lengths: list[np.ndarray[Any, Any]], level: int, row: int | None) -> StatedInput:
    if lengths:
        words = rows_text(lengths[0].tolist(), "rows" if level == 0 else "inner rows", row)
        return StatedInput(name or "a ragged tensor", "", None, words)
    shape = None if value.shape.rank is None else tuple(-1 if dim is None else dim for dim in value.shape)
    return StatedInput(name or ("a ragged tensor" if _is_ragged(value) else "a tensor"), value.dtype.name, shape)
