"""Names the elements of a dataset at its source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.data_origins.notes import WorkNotes
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.tracing.data_origins_own import all_own

_LONGEST = 300
"""A text of more bytes is no name."""


def with_origins(dataset: Any, key: str | Callable[..., Any] | None) -> Any:
    """Pairs of an element and its name."""
    if key is None and _readable(dataset):
        # As TensorFlow itself reads them, one after the other.
        kind = type(dataset)
        compression, buffer = dataset._compression_type, dataset._buffer_size  # noqa: SLF001

        def reading(file: Any) -> Any:
            all_own()
            return WorkNotes.shared().reading(kind(file, compression, buffer), file)

        with hooks().entries.bypass():
            return dataset._filenames.flat_map(reading)  # noqa: SLF001

    def named(number: Any, element: Any) -> Any:
        all_own()
        return element, _name(number, element, key)

    with hooks().entries.bypass():
        return dataset.enumerate().map(named)


def _readable(dataset: Any) -> bool:
    """Whether it reads files one after the other."""
    parallel = getattr(dataset, "_num_parallel_reads", None)
    reads = isinstance(dataset, tf.data.TFRecordDataset | tf.data.TextLineDataset)
    # How many lines of text are read at once is not kept; in parallel, their order would be another.
    sequential = type(getattr(dataset, "_impl", None)).__name__.startswith("_FlatMap")
    return reads and parallel is None and sequential and hasattr(dataset, "_filenames")


def _name(number: Any, element: Any, key: str | Callable[..., Any] | None) -> Any:
    counted = tf.strings.join(["element ", tf.strings.as_string(number)])
    if key is not None:
        return _text(element[key] if isinstance(key, str) else _called(key, element))
    if not (isinstance(element, tf.Tensor) and element.dtype == tf.string and element.shape.rank == 0):
        return counted
    printable = tf.strings.regex_full_match(element, "[[:print:]]+")
    return tf.where(printable & (tf.strings.length(element) <= _LONGEST), element, counted)


def _called(key: Callable[..., Any], element: Any) -> Any:
    return key(*element) if isinstance(element, tuple) else key(element)


def _text(value: Any) -> Any:
    value = tf.convert_to_tensor(value)
    return value if value.dtype == tf.string else tf.strings.as_string(value)
