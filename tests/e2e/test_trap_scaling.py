"""The trap and mixed precision: what the scale of the loss catches is no trouble, what it can't is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.capture.reader import open_capture


class Scaled:
    """A loop in half precision with a scale of the loss."""

    def __init__(self, scale: float) -> None:
        keras.utils.set_random_seed(0)
        self.kernel = keras.Variable(np.ones((4, 1), np.float32), name="kernel")
        self.optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.Adam(), initial_scale=scale)
        self.optimizer.build([self.kernel])
        self.count = tf.Variable(0, name="count")
        self.step = tf.function(self._step)

    def _step(self, x: Any) -> Any:
        with tf.GradientTape() as tape:
            half = tf.cast(tf.matmul(x, self.kernel.value), tf.float16)
            loss = tf.cast(tf.reduce_mean(half), tf.float32)
            scaled = self.optimizer.scale_loss(loss)
        self.optimizer.apply_gradients([(tape.gradient(scaled, self.kernel.value), self.kernel)])
        self.count.assign_add(1)
        return loss

    def state(self) -> list[bytes]:
        return [np.asarray(each).tobytes() for each in (self.kernel, *self.optimizer.variables, self.count)]


ONES = np.ones((2, 4), np.float32)


@pytest.mark.parametrize("on_bad", ["stop", "skip"])
def test_a_step_that_the_scale_leaves_out_is_no_trouble(on_bad: str, tmp_path: Path) -> None:
    plain, program = Scaled(2.0**18), Scaled(2.0**18)
    for _ in range(4):
        plain.step(tf.constant(ONES))
    with tensordbg.trap(tmp_path, on_bad) as trap:
        for _ in range(4):
            program.step(tf.constant(ONES))
    assert trap.captures == []
    assert program.state() == plain.state()
    assert 1.0 < float(program.optimizer.dynamic_scale) < 2.0**18


def test_a_loss_that_is_not_finite_before_it_is_scaled_is(tmp_path: Path) -> None:
    program = Scaled(2.0**10)
    with tensordbg.trap(tmp_path) as trap:
        program.step(tf.constant(ONES))
        before = program.state()
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"step 1 of _step: the loss is not finite \(1 \+inf\)"
        ):
            program.step(tf.constant(ONES * 1e5))
    assert program.state() == before
    assert {each.role for each in open_capture(trap.captures[0]).header.trouble.tested} == {"loss", "gradient", "scale"}


def test_what_the_lowest_scale_can_not_mend_is_left_out_with_all_that_the_branch_writes(tmp_path: Path) -> None:
    with tensordbg.trap(tmp_path, "skip") as trap:
        program = Scaled(1.0)
        program.step(tf.constant(ONES))
        before = program.state()
        steep = np.full((2, 4), 1e-30, np.float32)
        steep[0] = 3e38  # the product with the gradient's sum is infinite, the loss of both rows is not
        steep[1] = -3e38
        program.step(tf.constant(steep))
    assert len(trap.captures) == 1
    assert program.state() == before


def test_keras_with_mixed_precision(tmp_path: Path) -> None:
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, dtype="mixed_float16"), keras.layers.Dense(1)])
    optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(1e-3), initial_scale=2.0**120)
    model.compile(optimizer=optimizer, loss="mse", jit_compile=False)
    x = np.random.default_rng(0).normal(size=(32, 4)).astype(np.float32)
    y = x[:, :1].copy()
    y[21] = np.nan
    with tensordbg.trap(tmp_path, "skip") as trap:
        model.fit(x, y, batch_size=4, verbose=0, shuffle=False)
    assert [open_capture(path).header.extra["batch"] for path in trap.captures] == ["6"]
    assert all(np.isfinite(np.asarray(each)).all() for each in (*model.variables, *optimizer.variables))
