"""Functions, branches and loops that write only where a condition holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import tensordbg


@tf.function
def add(variable: Any, x: Any) -> Any:
    variable.assign_add(x)
    return variable.read_value()


def in_a_branch(variable: Any, x: Any) -> Any:
    return tf.cond(x > 0.0, lambda: variable.assign_add(x), lambda: variable.assign_sub(x))


def in_a_loop(variable: Any, x: Any) -> Any:
    return tf.while_loop(lambda i: i < 3, lambda i: [tf.cast(add(variable, x), tf.int32) * 0 + i + 1], [0])[0]


def in_a_case(variable: Any, x: Any) -> Any:
    return tf.switch_case(tf.cast(x, tf.int32), [lambda: tf.zeros_like(x)] * 2 + [lambda: add(variable, x)])


PLACES: dict[str, Callable[[Any, Any], Any]] = {
    "a function": add,
    "a branch": in_a_branch,
    "a loop that calls a function": in_a_loop,
    "a case": in_a_case,
}


@pytest.mark.parametrize("place", PLACES)
def test_what_is_called_writes_in_good_steps_only(place: str, tmp_path: Path) -> None:
    kernel, count, steps = tf.Variable(1.0), tf.Variable(0.0), tf.Variable(0)

    @tf.function
    def step(x: Any, divisor: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = kernel * x / divisor
        gradient = tape.gradient(loss, kernel)
        result = PLACES[place](count, 2.0 + 0.0 * x)
        steps.assign_add(1)
        kernel.assign_sub(0.0 * gradient)
        return result

    with tensordbg.trap(tmp_path, "skip"):
        for divisor in (1.0, 0.0, 1.0):
            result = step(tf.constant(1.0), tf.constant(divisor))
    times = 3 if "loop" in place else 1
    assert (float(count), int(steps), float(kernel)) == (2 * times * 2.0, 2, 1.0)
    assert float(result) in (float(count), 3.0)
