"""Steps that are finite and bad all the same: a loss that jumps, gradients that are too large, what the user says."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg import _native
from tensordbg.capture.reader import open_capture


def modified_z_score(losses: list[float], loss: float) -> float:
    """As in Iglewicz and Hoaglin (1993), with NumPy."""
    middle = np.median(losses)
    distances = np.abs(np.array(losses) - middle)
    spread = np.median(distances) / 0.6745 or np.mean(distances) / 0.7979
    return float((loss - middle) / spread) if spread else 0.0


@pytest.mark.parametrize("seed", range(5))
def test_the_score_is_that_of_the_book(seed: int) -> None:
    random = np.random.default_rng(seed)
    losses: list[float] = []
    for loss in np.where(random.random(80) < 0.5, 1.0, random.normal(2.0, 1.0, 80)):
        expected = modified_z_score(losses[-25:], loss) if len(losses) >= 20 else 0.0
        assert _native.loss_score(losses[-25:], float(loss)) == pytest.approx(expected)
        losses.append(float(loss))


def test_losses_that_never_change_say_nothing() -> None:
    assert _native.loss_score([2.0] * 30, 3.0) == 0.0
    assert _native.loss_score([2.0] * 29 + [2.1], 3.0) > 100.0


class Training:
    """A step whose loss and gradient are known: the gradient of `kernel * x` is `x`, over two kernels."""

    def __init__(self, eager: bool) -> None:
        self.kernels = [tf.Variable(1.0, name="first"), tf.Variable([1.0, 1.0], name="second")]
        self.step = self._step if eager else tf.function(self._step)

    def _step(self, x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = self.kernels[0] * x + tf.reduce_sum(self.kernels[1] * x)
        gradients = tape.gradient(loss, self.kernels)
        for kernel, gradient in zip(self.kernels, gradients, strict=True):
            kernel.assign_sub(0.0 * gradient)
        self.kernels[0].assign_add(0.0)
        return loss


XS = [1.0 + 0.01 * (i % 7) for i in range(30)]


@pytest.mark.parametrize("eager", [True, False])
def test_a_loss_that_jumps(eager: bool, tmp_path: Path) -> None:
    with tensordbg.trap(tmp_path, "skip", loss_jump=8.0) as trap:
        training = Training(eager)
        for x in (*XS, 1.2, *XS, 0.1, 5.0):
            training.step(tf.constant(x))
    troubles = [open_capture(path).header.trouble for path in trap.captures]
    assert [(each.kind, round(each.numbers["loss"], 3)) for each in troubles] == [("loss_jump", 15.0)]
    assert troubles[0].numbers["loss_score"] > 8.0
    assert troubles[0].suspects == ()
    assert len(troubles[0].tested) == 3


@pytest.mark.parametrize("eager", [True, False])
def test_gradients_that_are_too_large(eager: bool, tmp_path: Path) -> None:
    with tensordbg.trap(tmp_path, gradient_norm=3.0) as trap:
        training = Training(eager)
        training.step(tf.constant(1.7))
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"the gradients have the norm 3\.118, more than the limit"
        ):
            training.step(tf.constant(1.8))
    (path,) = trap.captures
    assert open_capture(path).header.trouble.numbers["gradient_norm"] == pytest.approx(1.8 * math.sqrt(3))


@pytest.mark.parametrize("eager", [True, False])
def test_what_a_predicate_says(eager: bool, tmp_path: Path) -> None:
    seen = []

    def is_bad(step: Any) -> bool:
        seen.append((step.step, round(step.loss, 3), round(step.gradient_norm, 3)))
        return bool(step.loss > 8.0)

    with tensordbg.trap(tmp_path, "record", predicate=is_bad) as trap:
        training = Training(eager)
        for x in (1.0, 2.0, 3.0):
            training.step(tf.constant(x))
    assert seen[0] == (0, 3.0, round(math.sqrt(3), 3))
    assert {each[0] for each in seen} == {0, 1, 2}
    assert [open_capture(path).header.step for path in trap.captures] == [2]


def test_a_predicate_that_fails_ends_the_trap_and_not_the_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with tensordbg.trap(tmp_path, predicate=lambda step: 1 / 0 > 0):
        training = Training(False)
        for _ in range(3):
            training.step(tf.constant(1.0))
    assert "the trap is off: capturing a step failed with ZeroDivisionError" in capsys.readouterr().err


def test_the_norm_of_scaled_gradients_is_that_without_the_scale(tmp_path: Path) -> None:
    import keras

    norms = []
    kernel = keras.Variable([1.0, 1.0])
    optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(), initial_scale=1024.0)
    optimizer.build([kernel])

    def step(x: Any) -> None:
        with tf.GradientTape() as tape:
            loss = optimizer.scale_loss(tf.reduce_sum(kernel.value * x))
        optimizer.apply_gradients([(tape.gradient(loss, kernel.value), kernel)])

    with tensordbg.trap(tmp_path, predicate=lambda read: norms.append(read.gradient_norm)):
        step(tf.constant([3.0, 4.0]))
        tf.function(step)(tf.constant([3.0, 4.0]))
    assert norms == [5.0, 5.0]
