"""Notes that input pipelines take while they run: the origins of the last batches, and the work under way.

The notes are hash tables of TensorFlow, which the pipelines' own operations write, so no element waits for Python.
"""

from __future__ import annotations

import atexit
import functools
import itertools
import math
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.data_origins.names import joined, noted_as
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.tracing.data_origins_own import (
    all_own,
    called_like,
    named_as_parameters,
    own_since,
    until_now,
)
from tensordbg.model import BATCH_ORIGINS, ELEMENT_ORIGIN
from tensordbg.recording.saying import say

KEPT = 256
"""So many batches are kept of each pipeline: those that lie ready in buffers are among them."""
_LOOKED_AT = 1024
"""So many elements of a row, evenly spread, tell it from others."""
PATIENCE = 60.0
"""Seconds in one mapped function before something is said."""
_TOLD = 5
"""So many elements are named."""
_LOOKED_INTO = 32
"""So many of the files that were read last are looked into for damage."""


@dataclass(frozen=True)
class NotedBatch:
    """A batch that a pipeline gave."""

    time: float
    origins: tuple[str, ...]
    """One for each row, or one for the whole."""
    marks: tuple[tuple[bytes, ...], ...]
    """For each component what tells its rows apart."""


class BatchNotes:
    """The batches that were given last."""

    @classmethod
    @functools.cache
    def shared(cls) -> BatchNotes:
        """Those of this process."""
        return cls()

    def __init__(self) -> None:
        self._table = _table()
        self._numbers = itertools.count()

    def noted(self, pairs: Any) -> Any:
        """A dataset of the elements alone, which notes the origins of each as it is given."""
        first = next(self._numbers) * KEPT

        def note(number: Any, pair: Any) -> Any:
            first_of_ours = until_now()
            element, origin = pair
            names = noted_as(origin, BATCH_ORIGINS)
            marks = [tf.io.serialize_tensor(mark) for mark in row_marks(element, origin.shape.rank != 0)]
            at = tf.strings.as_string(tf.timestamp(), precision=6)
            row = tf.stack([at, tf.io.serialize_tensor(names), *marks])
            with tf.control_dependencies([self._table.insert(first + number % KEPT, tf.io.serialize_tensor(row))]):
                given = tf.nest.map_structure(_same, element)
            # The element itself is measured, by which a batch that the program takes is known again.
            own_since(first_of_ours, number, origin)
            return given

        with hooks().entries.bypass():
            return pairs.enumerate().map(note)

    def batches(self) -> list[NotedBatch]:
        """All that are kept, the last first."""
        _, rows = self._table.export()
        return sorted((_batch(row) for row in rows), key=lambda batch: -batch.time)


def row_marks(element: Any, batched: bool) -> list[Any]:
    """For each component with numbers a mark of 8 bytes for each row, uint8 of the shape [rows, 8]."""
    tensors = [each for each in tf.nest.flatten(element) if isinstance(each, tf.Tensor) and _has_numbers(each.dtype)]
    rows = [each if batched else each[tf.newaxis] for each in tensors if each.shape.rank or not batched]
    return [_marks(each) for each in rows]


def _has_numbers(dtype: Any) -> bool:
    """Whether elements are numbers; rows of a ragged batch are variants until it is put together."""
    return bool(dtype.is_floating or dtype.is_integer or dtype.is_bool or dtype.is_complex)


def _marks(tensor: Any) -> Any:
    size = tf.math.divide_no_nan(tf.cast(tf.size(tensor), tf.float64), tf.cast(tf.shape(tensor)[0], tf.float64))
    flat = tf.reshape(tensor, tf.stack([tf.shape(tensor)[0], tf.cast(size, tf.int32)]))
    step = tf.maximum(1, tf.shape(flat)[1] // _LOOKED_AT)
    return tf.fingerprint(tf.cast(flat[:, ::step], tf.float64))


def _batch(row: Any) -> NotedBatch:
    at, names, *marks = tf.io.parse_tensor(row, tf.string).numpy()
    origins = tf.io.parse_tensor(names, tf.string).numpy()
    parsed = (tf.io.parse_tensor(mark, tf.uint8).numpy() for mark in marks)
    return NotedBatch(
        float(at),
        tuple(origin.decode(errors="replace") for origin in origins),
        tuple(tuple(bytes(mark) for mark in each) for each in parsed),
    )


class WorkNotes:
    """Notes of the work that pipelines have under way."""

    @classmethod
    @functools.cache
    def shared(cls) -> WorkNotes:
        """Those of this process."""
        return cls()

    def __init__(self) -> None:
        self._functions: list[tuple[str, Any]] = []
        self._files = _table()
        self._watching = False
        self._over = threading.Event()
        self._seen: dict[tuple[str, str], float] = {}

    def during(self, function: Any, what: str) -> Any:
        """The function of a user's on the element of a pair, which is noted as long as it runs."""
        inner = tf.function(function)
        name_of_function = getattr(function, "__name__", "<lambda>")
        begun = _table()
        self._functions.append((what if name_of_function == "<lambda>" else f"{name_of_function}()", begun))

        def run(element: Any, origin: Any) -> Any:
            named_as_parameters(function, element)
            first = until_now()
            name = tf.reshape(joined(origin), [1])  # since what is removed must be a list
            key = tf.strings.to_hash_bucket_fast(name, 2**62)
            told = noted_as(origin, ELEMENT_ORIGIN)
            with tf.control_dependencies([told, begun.insert(key, name)]):
                element = tf.nest.map_structure(_same, element)
            result = inner(*element) if isinstance(element, tuple) else inner(element)
            # `map` takes a list for a tuple, and only lists inside of that for tensors to be stacked.
            result = tuple(result) if isinstance(result, list) else result
            # What waits for the call itself does not wait for results that have no side effect.
            result = tf.nest.map_structure(_same, result)
            made = [each for each in tf.nest.flatten(result, expand_composites=True) if isinstance(each, tf.Tensor)]
            with tf.control_dependencies(made):
                done = begun.remove(key)
            with tf.control_dependencies([done]):
                result = tf.nest.map_structure(_same, result)
            own_since(first, origin)
            return result

        return called_like(run, function)

    def reading(self, made: Any, name: Any) -> Any:
        """The elements of a dataset with their numbers behind a name, which is noted when it is opened."""

        def numbered(number: Any, element: Any) -> Any:
            all_own()
            return element, tf.strings.join([name, " record ", tf.strings.as_string(number)])

        listed = tf.reshape(name, [1])
        opened = tf.strings.join([tf.strings.as_string(tf.timestamp(), precision=3), listed], separator="\n")
        with tf.control_dependencies([self._files.insert(tf.strings.to_hash_bucket_fast(listed, 2**62), opened)]):
            return made.enumerate().map(numbered)

    def watch(self) -> None:
        """Says from now on what a pipeline was at that fails, or that is at one element for long."""
        if self._watching:
            return
        self._watching = True
        show = sys.excepthook

        def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
            show(kind, error, trace)
            if isinstance(error, tf.errors.OpError):
                self._tell_failed(error)

        sys.excepthook = hook
        threading.Thread(target=self._wait, name="tensordbg-pipelines", daemon=True).start()
        atexit.register(self._over.set)

    def at(self) -> list[tuple[str, str]]:
        """Names of elements that functions are at, and which."""
        return [(name, what) for what, begun in self._functions for name in _texts(begun)]

    def _tell_failed(self, error: BaseException) -> None:
        for name, what in self.at()[:_TOLD]:
            _say(f"the input pipeline was at {name} in {what}")
        if isinstance(error, tf.errors.DataLossError):
            opened = sorted((text.partition("\n") for text in _texts(self._files)), key=lambda parts: -float(parts[0]))
            damaged = (name for _, _, name in opened[:_LOOKED_INTO] if _is_damaged(name))
            for name in itertools.islice(damaged, _TOLD):
                _say(f"the input pipeline was reading {name}, which is damaged")

    def _wait(self) -> None:
        """Looks again and again: what is there for long, once, is said."""
        while not self._over.wait(PATIENCE / 4):
            now, at = time.monotonic(), self.at()
            self._seen = {each: self._seen.get(each, now) for each in at}
            for (name, what), since in self._seen.items():
                if now - since > PATIENCE:
                    self._seen[name, what] = math.inf
                    _say(f"the input pipeline has been at {name} in {what} for {now - since:.0f} seconds")


def origins_of(arrays: Sequence[Any]) -> tuple[str, ...]:
    """The origins of the rows of a batch.

    Args:
        arrays: What a step was given, as arrays.

    Returns:
        One for each row, empty for one that no pipeline gave lately; nothing where none of them is known.
    """
    with hooks().entries.bypass():
        noted = [batch for batch in BatchNotes.shared().batches() if batch.marks]
        candidates = [tf.convert_to_tensor(array) for array in arrays if array.ndim and array.dtype.kind in "biuf"]
        given = [[bytes(mark) for mark in _marks(tensor).numpy()] for tensor in candidates]
    # What tells the rows apart best comes first: labels, say, are the same in many rows.
    for marks in sorted(given, key=lambda marks: -len(set(marks))):
        found = _of_whole_batch(tuple(marks), noted) or _of_parts(marks, noted)
        if any(found):
            return found
    return ()


def _of_whole_batch(marks: tuple[bytes, ...], noted: Sequence[NotedBatch]) -> tuple[str, ...]:
    """Where all rows are those of one batch: the last, unless they tell little and there are several such batches."""
    equal = [batch for batch in noted if marks in batch.marks]
    if not equal or (len(equal) > 1 and len(set(marks)) < len(marks)):
        return ()
    return tuple(name for _, name in _named(marks, equal[0].origins))


def _of_parts(marks: Sequence[bytes], noted: Sequence[NotedBatch]) -> tuple[str, ...]:
    """Where a batch was divided, or put together from several; rows that look the same tell nothing."""
    known: dict[bytes, str] = {}
    for batch in noted:
        for component in batch.marks:
            for mark, name in _named(component, batch.origins):
                known[mark] = name if known.get(mark, name) == name else ""
    return tuple(known.get(mark, "") for mark in marks)


def _named(marks: Sequence[bytes], origins: Sequence[str]) -> list[tuple[bytes, str]]:
    if len(marks) == len(origins):
        return list(zip(marks, origins, strict=True))
    # With names for other rows than these, which row came from where is not known.
    return [(mark, f"{origins[0]} row {row}") for row, mark in enumerate(marks)] if len(origins) == 1 else []


def _same(each: Any) -> Any:
    return tf.identity(each) if isinstance(each, tf.Tensor) else each


def _is_damaged(file: str) -> bool:
    """Whether a file of records can't be read to its end. TensorFlow does not say where, and reads on after it."""
    try:
        with hooks().entries.bypass():
            for _ in tf.data.TFRecordDataset(file):
                pass
    except tf.errors.DataLossError:
        return True
    except tf.errors.OpError:
        return False
    return False


def _table() -> Any:
    """From numbers to texts: one from texts to texts does not exist."""
    with tf.init_scope(), tf.device("CPU:0"), hooks().entries.bypass():
        return tf.lookup.experimental.MutableHashTable(tf.int64, tf.string, tf.constant(""))


def _texts(table: Any) -> list[str]:
    with hooks().entries.bypass():
        texts = table.export()[1].numpy()
    return [text.decode(errors="replace") for text in texts]


def _say(line: str) -> None:
    say(line)
