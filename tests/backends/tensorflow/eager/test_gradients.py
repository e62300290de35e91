"""A bad value of an eager backward pass is known as the gradient of one operation of the forward pass."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import tensordbg


def _cast(x: Any, other: Any) -> Any:
    tf.cast(other, tf.float32)
    return tf.cast(x, tf.float32)  # HERE


def _reshaped(x: Any, other: Any) -> Any:
    tf.reshape(other, [1, 2])
    return tf.cast(tf.reshape(x * 2.0, [2, 1]), tf.float32)  # HERE


def _custom(x: Any, other: Any) -> Any:
    tf.cast(other, tf.float32)

    @tf.custom_gradient
    def cast(given: Any) -> tuple[Any, Callable[[Any], Any]]:
        return tf.cast(given, tf.float32), lambda gradient: tf.cast(gradient, tf.float16)  # HERE

    return cast(x)


@pytest.mark.parametrize("forward", [_cast, _reshaped, _custom])
def test_a_gradient_that_takes_nothing_of_the_forward_pass(tmp_path: Path, forward: Callable[[Any, Any], Any]) -> None:
    with tensordbg.record(tmp_path) as recording:
        x, other = tf.Variable([1.0, 2.0], dtype=tf.float16), tf.constant([1.0, 2.0], tf.float16)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(forward(x, other) * 1e30)
        print(tape.gradient(loss, x))
    (origin,) = (each for each in tensordbg.open(recording.path).why().origins if each.consequential)
    assert origin.place is not None
    assert "# HERE" in origin.place.text
    assert origin.verdict.cause == "cast_overflow"


def test_so_many_are_noted_of_one_place(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path) as recording:
        x = tf.Variable([1.0], dtype=tf.float16)
        for _ in range(30):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.cast(x, tf.float32) * 1e30)
            tape.gradient(loss, x)
    facts = (recording.path / "facts.jsonl").read_text(encoding="utf-8")
    assert facts.count('"differentiated"') == 20
