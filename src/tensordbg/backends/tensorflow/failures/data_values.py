"""Data that the program gave to `fit` and its like: by which of its own lines each part came into being.

What a step takes out of the input pipeline was mostly an array of the program's before, or a dataset. Keras takes its
frames off the tracebacks, and with them what it was given; so it is noted on the exception as it goes by, and looked at
only where it ends the program.
"""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import numpy as np

from tensordbg.backends.tensorflow.failures.batch_parts import parts_of_batches
from tensordbg.backends.tensorflow.failures.dataset_parts import parts_of_dataset
from tensordbg.backends.tensorflow.failures.stated import dtype_name, stated_tensors
from tensordbg.backends.tensorflow.keras.layers import MARK
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.model import StatedTensor
from tensordbg.operations.lookup import INPUT
from tensordbg.packages import is_among_packages, is_part_of
from tensordbg.recording.assigned_lines import Scope, assigned_before
from tensordbg.recording.catalog import Catalog
from tensordbg.recording.failure import errors_behind

_NOTE = "_tensordbg_data_values"
_KERAS = frozenset({"keras", "tf_keras"})
_TAKING = frozenset({"fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch"})
_PARTS = ("x", "y", "sample_weight")
_MOST_FRAMES = 100
_MOST_PARTS = 100
_LARGEST = 2**24
"""Elements of an array whose numbers are looked at."""
_LONGEST_TEXT = 2_000_000
_UNKNOWN = StatedTensor("", "", "", None)


@dataclass(frozen=True)
class _Place:
    """A line of the program's own that was running."""

    frame: FrameType
    line: int


@dataclass(frozen=True)
class _MethodArguments:
    """What a method of Keras was given, and the program's own lines that led there, the innermost first."""

    parts: tuple[Any, ...]
    places: tuple[_Place, ...]


def note_data_values(error: BaseException, trace: TracebackType | None) -> None:
    """Notes on an exception what the frames of a traceback tell; the first to note it is the innermost."""
    if hasattr(error, _NOTE):
        return
    for frame, _ in traceback.walk_tb(trace):
        code = frame.f_code
        if code.co_name in _TAKING and is_part_of(code.co_filename, _KERAS) and "x" in code.co_varnames:
            with contextlib.suppress(AttributeError):
                setattr(error, _NOTE, _MethodArguments(tuple(_parts(frame)), tuple(_places(frame.f_back))))
            return


def data_behind(error: BaseException, catalog: Catalog, stacks: Stacks) -> tuple[StatedTensor, ...]:
    """Where each part of the data came from, in the order of the pipeline, and behind them what they were made of."""
    given = next((note for each in errors_behind(error) if (note := getattr(each, _NOTE, None)) is not None), None)
    if given is None:
        return ()
    values, outside = _values(given, catalog)
    # Behind them may stand the weights that Keras makes of class weights.
    found = stated_tensors([*values, _UNKNOWN], stacks, outside)
    for each in found:
        if each.stack >= 0:
            catalog.use_stack(each.stack)
    return found if any(each.stack >= 0 or each.execution >= 0 for each in found) else ()


def _values(given: _MethodArguments, catalog: Catalog) -> tuple[list[Any], dict[tuple[int, str], Any]]:
    import tensorflow as tf  # imported by the program already

    if given.parts and isinstance(given.parts[0], tf.data.Dataset):
        return parts_of_dataset(given.parts[0])
    batches = parts_of_batches(given.parts[0], catalog) if given.parts else []
    if batches:
        return batches, {}
    if any(isinstance(each, (list, tuple)) and len(each) > _MOST_PARTS for each in given.parts):
        return [], {}  # numbers one by one, which are no parts
    flat = tf.nest.flatten([each for each in given.parts if each is not None])
    return [_recorded_value(each, given.places, catalog) for each in flat], {}


def _parts(frame: FrameType) -> Iterator[Any]:
    """What the program called the method with: Keras puts other values in the place of some of them."""
    names = frame.f_code.co_varnames[: frame.f_code.co_argcount]
    caller = frame.f_back
    called = caller.f_locals if caller is not None and {"args", "kwargs"} <= set(caller.f_locals) else None
    told = frame.f_locals if called is None else dict(zip(names, called["args"], strict=False)) | called["kwargs"]
    yield from (told.get(name) for name in _PARTS)


def _places(frame: FrameType | None) -> Iterator[_Place]:
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return
        if not is_among_packages(frame.f_code.co_filename):
            yield _Place(frame, frame.f_lineno)
        frame = frame.f_back


def _recorded_value(value: Any, places: Sequence[_Place], catalog: Catalog) -> Any:
    """An eager tensor that was recorded as it is; of another value the line that gave it its name."""
    if hasattr(value, "_datatype_enum") and hasattr(value, MARK):
        return value
    shape, kind = getattr(value, "shape", None), getattr(value, "dtype", None)
    if not isinstance(shape, tuple) or kind is None:
        return _UNKNOWN
    for place in places:
        for name in _names_of(value, [*place.frame.f_locals.items()]):
            found = _assigned(place, name)
            if found is not None:
                line, is_changed = found
                code = place.frame.f_code
                with catalog.lock:
                    stack = catalog.stack(((code.co_filename, line, code.co_name),))
                low, high = (None, None) if is_changed else _range(value)
                dims = tuple(map(int, shape))
                return StatedTensor(name, INPUT, dtype_name(kind), dims, stack, low=low, high=high)
    return _UNKNOWN


def _names_of(value: Any, held: Sequence[tuple[str, Any]]) -> list[str]:
    """The names of a value; of rows of an array, `images[:100]`, that of the only array whose rows they are."""
    own = [name for name, each in held if each is value]
    if own or not isinstance(value, np.ndarray) or value.base is None:
        return own
    whole = {id(each): name for name, each in held if isinstance(each, np.ndarray) and _are_rows_of(value, each)}
    return [*whole.values()] if len(whole) == 1 else []


def _are_rows_of(rows: np.ndarray[Any, Any], whole: np.ndarray[Any, Any]) -> bool:
    """Whether a view shows whole rows of an array, or of what both are views of."""
    if rows.ndim != whole.ndim or rows.dtype != whole.dtype or rows.shape[1:] != whole.shape[1:]:
        return False
    return rows.strides[1:] == whole.strides[1:] and np.may_share_memory(rows, whole)


def _assigned(place: _Place, name: str) -> tuple[int, bool] | None:
    code = place.frame.f_code
    with contextlib.suppress(OSError, UnicodeDecodeError):
        text = Path(code.co_filename).read_text(encoding="utf-8")
        if len(text) <= _LONGEST_TEXT:
            found = assigned_before(text, Scope(code.co_name, code.co_firstlineno), name, place.line)
            return None if found is None else (found.line, found.is_changed)
    return None


def _range(value: Any) -> tuple[float | None, float | None]:
    """The smallest and the largest of whole numbers, of which labels and indices are."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "iu" or not 0 < value.size <= _LARGEST:
        return None, None
    return int(value.min()), int(value.max())
