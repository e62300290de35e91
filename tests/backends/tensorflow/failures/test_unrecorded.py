"""An eager tensor that was made of Python's numbers is told with its name and its elements where it was refused."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tensorflow as tf

import tensordbg
from tensordbg.analysis.why import why
from tensordbg.trace.reader import open_trace


def _refused(folder: Path, program: Callable[[], None]) -> list[tuple[Any, ...]]:
    with (
        contextlib.suppress(tf.errors.InvalidArgumentError, TypeError, ValueError),
        tensordbg.record(folder) as recording,
    ):
        program()
    (found,) = why(open_trace(recording.path)).failures
    return [(given.tensor, given.shape, given.elements) for given in found.inputs]


def test_the_name_in_the_failing_line_and_the_elements_of_a_small_one(tmp_path: Path) -> None:
    def of_another_type() -> None:
        pair = tf.constant([3.0, 4.0])
        tf.TensorArray(tf.int32, size=1).write(0, pair)

    assert _refused(tmp_path, of_another_type) == [("pair", (2,), "[3, 4]")]


def test_of_large_tensors_no_elements_are_told(tmp_path: Path) -> None:
    def of_another_type() -> None:
        large = tf.constant([0.5] * 100)
        tf.TensorArray(tf.int32, size=1).write(0, large)

    assert _refused(tmp_path, of_another_type) == [("large", (100,), "")]


def test_the_state_of_a_loop_has_its_name_in_the_failing_line(tmp_path: Path) -> None:
    @tf.function
    def summed(rows: tf.Tensor) -> tf.Tensor:
        total, at = 0, 0
        while at < tf.size(rows):
            total = total + rows[at]
            at += 1
        return total

    found = _refused(tmp_path, lambda: summed(tf.constant([1.0, 2.0])))
    assert [name for name, *_ in found] == ["total", "while/strided_slice:0"]


def test_a_ragged_tensor_has_its_name_in_the_failing_line(tmp_path: Path) -> None:
    @tf.function
    def first(rows: Any) -> Any:
        upper = tf.strings.upper(rows)
        return upper[:, 0]

    assert _refused(tmp_path, lambda: first(tf.ragged.constant([["a"], []]))) == [("upper", (2, -1), "")]
