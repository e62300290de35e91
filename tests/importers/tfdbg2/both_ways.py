"""A program that is recorded by TensorFlow's debugger, in every mode, and by tensordbg.

`python both_ways.py OUT` makes a folder of OUT for each. Each recording runs in a process of its own, as the debugger
can be enabled only once in a process; TensorFlow is imported only once.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import tensorflow as tf

import tensordbg

MODES = ("NO_TENSOR", "CURT_HEALTH", "CONCISE_HEALTH", "FULL_HEALTH", "SHAPE", "FULL_TENSOR")
STEPS = 4
BAD_STEP = 2
"""The variable is bad afterwards, so the last step begins with bad values."""


def train(steps: int) -> None:
    weight = tf.Variable([1.0, -2.0, 0.5])

    @tf.function
    def logarithm(x: tf.Tensor) -> tf.Tensor:
        return tf.math.log(x) * 2.0  # the origin

    @tf.function
    def penalty() -> tf.Tensor:
        return tf.reduce_sum(tf.abs(weight))

    @tf.function
    def step(x: tf.Tensor, turns: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            y = logarithm(x * weight * weight)
            turn = tf.constant(0)
            while turn < turns:
                y = y * 0.5 - 0.25
                turn += 1
            y = y * 3.0 if tf.reduce_sum(x) > 2.0 else y - 3.0
            loss = tf.reduce_mean(y * y) + penalty()
        weight.assign_sub(0.1 * tape.gradient(loss, weight))
        return loss

    for number in range(steps):
        x = tf.constant([1.0, 2.0, 0.0 if number == BAD_STEP else 1.0]) * float(number + 1)
        step(x - 0.0, tf.constant(2))
    first, second = tf.unstack(tf.stack([x, -x]))
    tf.reduce_sum(first / second)


def debugged(folder: Path, mode: str, buffer: int = -1) -> None:
    enable = tf.debugging.experimental.enable_dump_debug_info
    enable(str(folder / mode), tensor_debug_mode=mode, circular_buffer_size=buffer)
    train(STEPS)
    tf.debugging.experimental.disable_dump_debug_info()


def killed(folder: Path) -> None:
    enable = tf.debugging.experimental.enable_dump_debug_info
    writer = enable(str(folder), tensor_debug_mode="FULL_HEALTH", circular_buffer_size=-1)
    train(STEPS)
    writer.FlushNonExecutionFiles()
    writer.FlushExecutionFiles()
    train(STEPS)
    os.kill(os.getpid(), signal.SIGKILL)


def native(folder: Path) -> None:
    with tensordbg.record(folder):
        train(STEPS)


def in_a_process(work: Callable[[], None]) -> None:
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    os.waitpid(child, 0)


if __name__ == "__main__":
    out = Path(sys.argv[1])
    for mode in MODES:
        in_a_process(lambda mode=mode: debugged(out / "modes", mode))  # type: ignore[misc]
    in_a_process(lambda: debugged(out / "circular", "FULL_HEALTH", 40))
    in_a_process(lambda: killed(out / "killed"))
    in_a_process(lambda: native(out / "native"))
