"""Operations that only move numbers are never an origin: what made or brought the numbers is, or was not seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.why import why
from tensordbg.tensorflow import disable_dump_debug_info, enable_dump_debug_info
from tensordbg.trace.locate import list_traces
from tensordbg.trace.reader import open_trace

_LOG_OF_NEGATIVE = "log_of_negative"


def _rows() -> Any:
    rows = np.ones((6, 2), np.float32)
    rows[3, 1] = np.nan
    return rows


def keras_fit_eagerly() -> None:
    model = keras.Sequential([keras.layers.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", run_eagerly=True)
    model.fit(_rows(), np.ones((6, 1), np.float32), batch_size=2, verbose=0, shuffle=False)


def optional_of_an_iterator() -> None:
    iterator = iter(tf.data.Dataset.from_tensor_slices(_rows()).batch(2))
    for _ in range(3):
        float(tf.reduce_sum(iterator.get_next_as_optional().get_value()))


def optional_in_a_graph() -> None:
    iterator = iter(tf.data.Dataset.from_tensor_slices(_rows()).batch(2))

    @tf.function
    def step(iterator: Any) -> Any:
        optional = iterator.get_next_as_optional()
        return tf.cond(optional.has_value(), lambda: tf.reduce_sum(optional.get_value()), lambda: 0.0)

    for _ in range(3):
        step(iterator)


def optional_of_a_value() -> None:
    optional = tf.experimental.Optional.from_value(tf.math.log(tf.constant([-1.0, 2.0])))
    tf.reduce_sum(optional.get_value())


def value_in_a_table() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, 0.0)
    table.insert(tf.constant([1, 2], tf.int64), tf.math.log(tf.constant([-1.0, -2.0])))
    tf.reduce_sum(table.lookup(tf.constant([1, 2], tf.int64)))


@pytest.mark.parametrize(
    ("program", "causes"),
    [
        (keras_fit_eagerly, ["bad_input_data"]),
        (optional_of_an_iterator, ["bad_input_data"]),
        (optional_in_a_graph, ["bad_input_data"]),
        (optional_of_a_value, [_LOG_OF_NEGATIVE]),
        (value_in_a_table, [_LOG_OF_NEGATIVE, "returned_from_python"]),
    ],
)
def test_what_brought_the_numbers_is_the_origin(program: Callable[[], None], causes: list[str], tmp_path: Path) -> None:
    with tensordbg.record(tmp_path) as recording:
        program()
    origins = tensordbg.open(recording.path).why().origins
    assert [origin.cause for origin in origins if origin.consequential] in (causes, causes[:1])


def test_what_was_not_recorded_is_said_to_be_unseen(tmp_path: Path) -> None:
    @tf.function
    def step(x: Any) -> Any:
        return tf.gather(tf.reshape(tf.math.log(x), [4]), [1, 0]) * 2.0

    try:
        enable_dump_debug_info(tmp_path, "FULL_HEALTH", op_regex="^(GatherV2|Mul)$")
        step(tf.constant([[1.0, -1.0], [2.0, 3.0]]))
    finally:
        disable_dump_debug_info()
    origin = why(open_trace(list_traces(tmp_path)[0])).origins[0]
    assert (origin.view.op_type, origin.cause) == ("GatherV2", "source_not_seen")
    assert "Reshape:0 (Reshape)" in origin.verdict.explanation


def test_a_filling_that_is_infinite_is_a_constant(tmp_path: Path) -> None:
    @tf.function
    def step(x: Any) -> Any:
        return tf.pad(x, [[1, 1]], constant_values=np.inf)

    with tensordbg.record(tmp_path) as recording:
        step(tf.constant([1.0, 2.0]))
    assert {origin.cause for origin in tensordbg.open(recording.path).why().origins} <= {"non_finite_constant"}
