"""Names that statements of a program give are found in its text, where they mean one tensor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.errors import UsageError
from tests.backends.tensorflow.recorded import shown


class _Layer:
    def __init__(self) -> None:
        self.kept: Any = None

    def __call__(self, x: Any) -> Any:
        self.kept = tf.reduce_sum(x) * 2.0
        return self.kept


def test_eagerly_in_functions_and_across_calls(tmp_path: Path) -> None:
    layer = _Layer()

    def scaled(x: Any) -> Any:
        return x * 4.0

    @tf.function
    def step(x: Any) -> Any:
        hidden = tf.reduce_max(
            x * 3.0,
        )
        called = scaled(hidden)
        largest, indices = tf.math.top_k(x, 1)
        first, second = x[0] + 100.0, x[1] + 200.0
        return called, largest, indices, first, second

    def program() -> None:
        n = tf.constant(6)
        while n > 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
        step(tf.constant([1.0, 2.0]))
        layer(tf.constant([1.0, 2.0]))

    values = shown(tmp_path, program)
    assert values("hidden") == [6]
    assert values("called") == [24]
    assert values("largest") == [2]
    assert values("indices") == [1]
    assert values("first") == [101]
    assert values("second") == [202]
    assert values("self.kept") == [6]


def test_an_argument_and_what_is_assigned_to_its_name_in_the_order_of_the_program(tmp_path: Path) -> None:
    @tf.function
    def unrolled(x: Any) -> Any:
        for _ in range(3):
            x = x * 2.0
        return x

    values = shown(tmp_path, lambda: (unrolled(tf.constant(1.0)), unrolled(tf.constant(10.0))))
    assert values("x") == [1, 2, 4, 8, 10, 20, 40, 80]


def test_what_is_several_tensors_is_none(tmp_path: Path) -> None:
    @tf.function
    def step(x: Any) -> Any:
        both = [x + 1.0, x + 2.0]
        return tf.add_n(both)

    values = shown(tmp_path, lambda: step(tf.constant(1.0)))
    with pytest.raises(UsageError, match="no tensor 'both:0'"):
        values("both")
