"""The names of where elements came from, as they are joined and divided inside of a pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

_BESIDE = " + "
"""Between the names of what was zipped."""


def noted_as(origin: Any, operation: str) -> Any:
    """The names in a list, as the output of an operation of this name, by which a recording knows them."""
    # One that changed nothing, such as an identity, would be taken out.
    return tf.strings.join([tf.reshape(origin, [-1])], name=operation)


def joined(origin: Any) -> Any:
    """One name for an element: that of its origin, or those of all rows of a batch."""
    return origin if origin.shape.rank == 0 else tf.strings.reduce_join(tf.reshape(origin, [-1]), separator=", ")


def together(origins: Sequence[Any]) -> Any:
    """The names of what was zipped: each row has those of all sides; one for the whole where their rows differ."""
    batched = [origin for origin in origins if origin.shape.rank != 0]
    if len(origins) == 1 or not batched:
        return tf.strings.join(origins, separator=_BESIDE)
    whole = tf.reshape(tf.strings.join([joined(origin) for origin in origins], separator=_BESIDE), [1])
    if len({origin.shape[0] for origin in batched} - {None}) > 1:
        return whole
    rows = tf.size(batched[0])
    fit = tf.reduce_all([tf.equal(tf.size(origin), rows) for origin in batched])
    return tf.cond(
        fit,
        # A single name joins all of a batch's.
        lambda: tf.strings.join(list(origins), separator=_BESIDE),
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
