"""The trap and functions that XLA compiles: what has no trap in it stays compiled."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.internals import context
from tensordbg.capture.reader import open_capture


def is_compiled(function: Any) -> bool:
    definition = context.context().get_function_def(function.get_concrete_function(tf.constant([1.0])).name.decode())
    return bool(definition.attr["_XlaMustCompile"].b)


def test_what_a_step_calls_stays_compiled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel = tf.Variable([1.0], name="kernel")
    inner = tf.function(lambda x: tf.math.log(x), jit_compile=True)

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(inner(x) * kernel)
        kernel.assign_sub(tape.gradient(loss, kernel))
        return loss

    with tensordbg.trap(tmp_path) as trap:
        step(tf.constant([2.0]))
        assert is_compiled(inner)
        with pytest.raises(tf.errors.InvalidArgumentError, match="the loss is not finite"):
            step(tf.constant([0.0]))
    assert "compil" not in capsys.readouterr().err
    np.testing.assert_allclose(kernel.numpy(), [1.0 - np.log(2.0)], rtol=1e-6)
    # The place of the logarithm is known, though its function was left alone.
    sites = open_capture(trap.captures[0]).rows("sites")
    assert any(row["op_type"] == "Log" and row["stack"] >= 0 for row in sites)


class Compiled:
    """A compiled step with a Keras optimizer, batch normalization, a counter and a generator."""

    def __init__(self, scale: float = 0.0) -> None:
        keras.utils.set_random_seed(0)
        self.model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(4), keras.layers.BatchNormalization()])
        optimizer = keras.optimizers.Adam()
        self.optimizer = keras.optimizers.LossScaleOptimizer(optimizer, initial_scale=scale) if scale else optimizer
        self.optimizer.build(self.model.trainable_variables)
        self.count = tf.Variable(0, name="count")
        self.generator = tf.random.Generator.from_seed(1)
        self.step = tf.function(self._step, jit_compile=True)

    def _step(self, x: Any) -> Any:
        x = x + 0.01 * self.generator.uniform((8, 4))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.math.log(x) * self.model(x, training=True))
            scaled = self.optimizer.scale_loss(loss)
        weights = self.model.trainable_variables
        self.optimizer.apply(tape.gradient(scaled, weights), weights)
        self.count.assign_add(1)
        return loss

    def state(self) -> list[np.ndarray]:
        return [np.asarray(each) for each in (*self.model.variables, *self.optimizer.variables, self.count)]


def batch(bad: bool) -> Any:
    x = np.random.default_rng(0).uniform(0.5, 2.0, (8, 4)).astype(np.float32)
    x[5, 2] = -1.0 if bad else 1.0
    return tf.constant(x)


@pytest.mark.parametrize("scale", [0.0, 1024.0])
@pytest.mark.parametrize("on_bad", ["stop", "skip"])
def test_a_compiled_step_leaves_nothing_written(
    on_bad: str, scale: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with tensordbg.trap(tmp_path, on_bad) as trap:
        program = Compiled(scale)
        program.step(batch(bad=False))
        before, state = program.state(), program.generator.state.numpy()
        with pytest.raises(tf.errors.InvalidArgumentError) if on_bad == "stop" else contextlib.nullcontext():
            assert np.isnan(program.step(batch(bad=True)))
        for mine, theirs in zip(program.state(), before, strict=True):
            np.testing.assert_array_equal(mine, theirs)
        program.step(batch(bad=False))
        assert int(program.count) == 2
    assert "without the compilation" not in capsys.readouterr().err
    capture = open_capture(trap.captures[0])
    assert {each.role for each in capture.header.trouble.suspects} == {"loss", "gradient"}
    held = list(capture.variables().values())
    assert any(np.array_equal(each, state) for each in held)
    for each in before[: len(program.model.variables)]:
        assert any(np.array_equal(each, other) for other in held)
    np.testing.assert_array_equal(capture.batch()[0], batch(bad=True))


def test_what_a_scale_catches_in_a_compiled_step_is_no_trouble(tmp_path: Path) -> None:
    with tensordbg.trap(tmp_path, "skip") as trap:
        program = Compiled(2.0**127)
        program.step(batch(bad=False) * 1e3)
        assert float(program.optimizer.dynamic_scale) == 2.0**126
    assert trap.captures == []


def test_a_step_that_can_not_stay_compiled_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tensordbg.trap(tmp_path, "record") as trap:
        Compiled().step(batch(bad=True))
    assert len(trap.captures) == 1
    assert "_step was meant to be compiled by XLA; it runs without the compilation" in capsys.readouterr().err


def test_what_calls_a_step_is_compiled_no_longer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel = tf.Variable([1.0], name="kernel")

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.math.log(x) * kernel)
        kernel.assign_sub(tape.gradient(loss, kernel))
        return loss

    compiled = tf.function(lambda x: step(x), jit_compile=True)
    with tensordbg.trap(tmp_path):
        compiled(tf.constant([2.0]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="step 1 of step: the loss is not finite"):
            compiled(tf.constant([0.0]))
        assert not is_compiled(compiled)
    assert is_compiled(compiled)  # as it was before the trap
    assert "was meant to be compiled by XLA; it runs without the compilation" in capsys.readouterr().err


def test_it_is_xla_that_runs_the_step(tmp_path: Path) -> None:
    kernel = tf.Variable([1.0], name="kernel")

    @tf.function(jit_compile=True)
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x * kernel)
        kernel.assign_sub(tape.gradient(loss, kernel))
        return tf.strings.as_string(loss)

    with tensordbg.trap(tmp_path), pytest.raises(tf.errors.InvalidArgumentError, match="unsupported operations"):
        step(tf.constant([2.0]))
