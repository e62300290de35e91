"""A step that stops the program is captured once, whatever TensorFlow runs before Python learns of it."""

from __future__ import annotations

from pathlib import Path

import pytest
import tensorflow as tf

import tensordbg

BATCHES = [[1.0, 2.0], [1.0, 0.0], [1.0, -1.0], [1.0, 0.0], [1.0, 1.0]]


def test_steps_that_ran_ahead_are_not_captured(tmp_path: Path) -> None:
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.math.log(x * w))
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    @tf.function
    def train(data: tf.data.Dataset) -> None:
        for x in data:
            tf.print(step(x), output_stream="file:///dev/null")

    with tensordbg.trap(tmp_path) as trap:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"step 1 of step: .* captured in"):
            train(tf.data.Dataset.from_tensor_slices(BATCHES))
        assert [each.name for each in trap.captures] == ["step-1"]
        for caught in (2, 3):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"the loss is not finite"):
                step(tf.constant([1.0, 0.0]))
            assert len(trap.captures) == caught
