"""The trap and functions that XLA compiles: what has no trap in it stays compiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


def test_a_step_that_was_to_be_compiled_runs_without_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
    assert "was meant to be compiled by XLA; it runs without the compilation" in capsys.readouterr().err
