"""Optimizers that were given no gradient: where the loss had lost what it was computed from."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.e2e.test_first_hour import uneven_part

PROGRAM = """
import numpy as np
import tensorflow as tf

w = tf.Variable(tf.ones([3, 2]), name="weights")
x = tf.random.normal([8, 3], seed=1)
y = tf.random.normal([8, 2], seed=2)
optimizer = tf.keras.optimizers.SGD(0.1)
{before}
with tf.GradientTape() as tape:
{within}
    loss = tf.reduce_mean((out - y) ** 2)
optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
"""

CASES = {
    "an array": (
        "",
        "out = (x @ w).numpy()",
        "cut MatMul:0 of train.py:11 left TensorFlow as an array and came back as out:0: no gradient goes through that",
    ),
    "before the tape": (
        "out = x @ w",
        "pass",
        "look for what ran before the `GradientTape` began, or variables that it doesn't watch train.py:9",
    ),
    "stopped": (
        "",
        "out = tf.stop_gradient(x @ w)",
        "cut `stop_gradient` on this line cuts off what the loss was computed from train.py:11",
    ),
    "an array that NumPy changes": (
        "",
        "out = abs((x @ w).numpy())",
        "cut `.numpy` on this line cuts off what the loss was computed from train.py:11",
    ),
    "a comparison": (
        "",
        "out = tf.cast(x @ w > 0, tf.float32)",
        "type Greater:0 made bool of float32, and no gradient goes through that train.py:11",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_where_a_loss_lost_its_gradient(case: str, tmp_path: Path) -> None:
    before, within, expected = CASES[case]
    program = PROGRAM.format(before=before, within=textwrap.indent(within, "    "))
    told = uneven_part(tmp_path, program)
    assert "raised ValueError, train.py:13: No gradients provided for any variable" in told
    assert expected in told


IN_A_FUNCTION = """
import tensorflow as tf

w = tf.Variable(tf.ones([3, 2]), name="weights")
optimizer = tf.keras.optimizers.SGD(0.1)

@tf.function
def step(x):
    with tf.GradientTape() as tape:
        out = {out}
        loss = tf.reduce_mean(out ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))

step(tf.ones([8, 3]))
"""


@pytest.mark.parametrize(
    ("out", "expected"),
    [
        (
            "tf.cast(tf.argmax(x @ w, 1), tf.float32)",
            "type ArgMax:0 made int64 of float32, and no gradient goes through",
        ),
        ("tf.stop_gradient(x @ w)", "cut `stop_gradient` on this line cuts off what the loss was computed from"),
    ],
)
def test_where_a_loss_of_a_function_lost_it(out: str, expected: str, tmp_path: Path) -> None:
    told = uneven_part(tmp_path, IN_A_FUNCTION.format(out=out))
    assert "raised ValueError, train.py:12: No gradients provided for any variable; its inputs are Mean:0" in told
    assert expected in told
    assert "train.py:10 out =" in told
