"""Captured steps for the tests of replaying: one process makes them all."""

from __future__ import annotations

import atexit
import functools
import shutil
import sys
import tempfile
from pathlib import Path

from tensordbg.capture.reader import list_captures
from tensordbg.trapping.plan import OnBad, TrapPlan
from tests import programs

PROGRAM = """
import numpy as np
import tensorflow as tf


def trained(*names):
    return [tf.Variable(tf.ones((3, 1)), name=name) for name in names]


def descend(kernel, loss_of):
    with tf.GradientTape() as tape:
        loss = loss_of()
    kernel.assign_sub(0.1 * tape.gradient(loss, kernel))
    return loss


rows = np.random.RandomState(0).uniform(1.0, 2.0, (12, 3)).astype(np.float32)
rows[7] = 0.0
labels = np.ones((12, 1), np.float32)
(kernel,) = trained("kernel")


@tf.function(input_signature=[tf.TensorSpec((None, 3)), tf.TensorSpec((None, 1))])
def any_size(x, y):
    return descend(kernel, lambda: tf.reduce_mean(y * tf.math.log(x @ kernel)))


@tf.function
def one_size(x, y):
    return descend(kernel, lambda: tf.reduce_mean(y * tf.math.log(x @ kernel)))


@tf.function
def noisy(x, y):
    noise = tf.random.uniform((12, 1), name="noise")
    return descend(kernel, lambda: tf.reduce_mean(y * tf.math.log(x @ kernel) + noise))


scale = tf.Variable(tf.ones((3, 1), tf.float16) * 200.0, name="scale")


@tf.function
def half(x):
    return descend(scale, lambda: tf.reduce_mean(tf.square(tf.cast(x, tf.float16) @ scale)))


steep = tf.Variable(tf.ones((3, 1)) * 20.0, name="steep")
shift = tf.Variable(tf.zeros(1), name="shift")


@tf.function
def part(x):
    return tf.exp(x)


@tf.function
def single(x):
    total = tf.constant(0.0)
    with tf.GradientTape() as tape:
        flat, mean, variance = tf.compat.v1.nn.fused_batch_norm(x[:, tf.newaxis, tf.newaxis], [1.0] * 3, [0.0] * 3)[:3]
        for _ in tf.range(2):
            total += tf.reduce_mean(part(x @ steep)) + tf.reduce_sum(flat) * 0.0
        loss = tf.math.log(total) + shift[0]
    steep.assign_sub(0.01 * tape.gradient(loss, steep))
    return loss


for _ in range(1):
    any_size(rows, labels)
    kernel.assign(tf.ones((3, 1)))
    one_size(rows, labels)
    kernel.assign(tf.ones((3, 1)))
    noisy(rows, labels)
    half(np.ones((4, 3), np.float32))
    single(np.full((4, 3), 1.6, np.float32))
"""


@functools.cache
def captures() -> dict[str, Path]:
    """Captured steps by the names of their functions; the program is gone."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    program = folder / "steps.py"
    program.write_text(PROGRAM)
    plan = TrapPlan(folder / "captures", OnBad.RECORD, 20)
    launcher = [sys.executable, "-m", "tensordbg.trapping.launch", plan.to_json(), str(program)]
    done = programs.run(launcher, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    program.unlink()
    return {path.name.rpartition("-")[0]: path for path in list_captures(plan.folder)}
