"""Findings about a pipeline with origins name the element, or the row of a batch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

import tensordbg
from tensordbg.tensorflow import trace_data


def test_the_row_is_named_in_which_a_bad_value_came_in(tmp_path: Path) -> None:
    x = np.arange(24, dtype=np.float32).reshape(12, 2)
    x[7, 1] = np.nan
    tf.data.Dataset.from_tensor_slices(x).save(str(tmp_path / "saved"))

    @tf.function
    def step(features: Any) -> Any:
        return tf.reduce_sum(features)

    def explained(name: str, source: Any) -> tuple[str, int]:
        """What is said of the first origin, and the row of its batch."""
        with tensordbg.record(tmp_path / name) as recording:
            batches = list(trace_data(source()).shuffle(12, seed=3).batch(4))
            for batch in batches:
                step(batch)
        row = next(int(np.argmax(np.isnan(each[:, 1]))) for each in batches if np.isnan(each).any())
        (origin, *_) = tensordbg.open(recording.path).why().origins
        assert origin.cause == "bad_input_data"
        return origin.explanation, row

    def generated() -> Any:
        return tf.data.Dataset.from_generator(lambda: iter(x), output_signature=tf.TensorSpec([2], tf.float32))

    said, row = explained("loaded", lambda: tf.data.Dataset.load(str(tmp_path / "saved")))
    assert said.endswith(f" Row {row} came from element 7."), said
    # What a source computes itself is no element yet.
    said, row = explained("generated", generated)
    assert said.endswith(f" Of the first batch that was not finite: row {row} came from element 7."), said


def test_the_element_is_named_for_which_a_function_computed_a_bad_value(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path) as recording:
        # One of them is bad: in batches TensorFlow computes several at once, in any order.
        for batch in (
            trace_data(tf.data.Dataset.range(4)).map(lambda n: tf.math.log(3.0 - tf.cast(n, tf.float32))).batch(2)
        ):
            tf.identity(batch)
    first, *_ = tensordbg.open(recording.path).why().origins
    assert first.explanation.endswith(" It was computed for element 3."), first.explanation
