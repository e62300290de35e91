"""The names of where elements came from, as they are joined and divided inside of a pipeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

_BESIDE = " + "
"""Between the names of what was zipped."""


def noted_as(origin: Any, operation: str) -> Any:
    """The names in a list, as the output of an operation of this name, by which a recording knows them."""
    # One that changed nothing, such as an identity, would be taken out.
    return tf.strings.join([tf.reshape(origin, [-1])], name=operation)


def kept_as(origin: Any, operation: str) -> Any:
    """The names, noted as by `noted_as`, in the shape that they have."""
    kept = tf.reshape(noted_as(origin, operation), tf.shape(origin))
    kept.set_shape(origin.shape)
    return kept


def joined(origin: Any) -> Any:
    """One name for an element: that of its origin, or those of all rows of a batch."""
    return origin if origin.shape.rank == 0 else tf.strings.reduce_join(tf.reshape(origin, [-1]), separator=", ")


def together(origins: Sequence[Any]) -> Any:
    """The names of what was zipped: each row has those of all sides; one for the whole where their rows differ."""
    return _joined_by(_side_by_side, origins)


def of_one(origins: Sequence[Any]) -> Any:
    """The names of what was zipped and is of one source: each once where all sides have the same."""
    return origins[0] if len(origins) == 1 else _joined_by(_once, origins)


def _side_by_side(origins: Sequence[Any]) -> Any:
    return tf.strings.join(list(origins), separator=_BESIDE)


def _once(origins: Sequence[Any]) -> Any:
    same = tf.reduce_all([tf.equal(origins[0], origin) for origin in origins[1:]], axis=0)
    return tf.where(same, origins[0], _side_by_side(origins))


def _joined_by(join: Callable[[Sequence[Any]], Any], origins: Sequence[Any]) -> Any:
    batched = [origin for origin in origins if origin.shape.rank != 0]
    if len(origins) == 1 or not batched:
        return join(origins)
    whole = tf.reshape(join([joined(origin) for origin in origins]), [1])
    if len({origin.shape[0] for origin in batched} - {None}) > 1:
        return whole
    rows = tf.size(batched[0])
    fit = tf.reduce_all([tf.equal(tf.size(origin), rows) for origin in batched])
    return tf.cond(
        fit,
        # A single name joins all of a batch's.
        lambda: join(origins),
        lambda: whole,
    )


def for_rows(origin: Any, element: Any) -> Any:
    """A name for each row of an element that is to be divided into them."""
    rows = tf.shape(element)[0]
    numbers = tf.strings.as_string(tf.range(rows))
    counted = tf.strings.join([joined(origin), " row ", numbers])
    return (
        counted if origin.shape.rank == 0 else tf.cond(tf.equal(tf.size(origin), rows), lambda: origin, lambda: counted)
    )
