"""What TensorFlow converts before an operation has the name or the literal that the call was given."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from tensordbg.backends.tensorflow.eager.equal_names import name_of_equal
from tests.backends.tensorflow.recorded import record, scalars


def asking(array: Any) -> Callable[..., str]:
    """A function that says under which name its caller has something equal."""
    return lambda *_: name_of_equal(sys._getframe(1), np.asarray(array), lambda file: file == __file__)


def test_the_only_thing_that_the_call_mentions_and_that_is_equal() -> None:
    x, rows, scale = np.array([1.0, 2.0]), {"ids": [3, 4]}, 2.5
    pair, ids, number, text = asking([1.0, 2.0]), asking([3, 4]), asking(2.5), asking(b"text")
    assert [pair(x), ids(rows["ids"]), number(scale), number(2.5), text("text")] == [
        "x", "rows['ids']", "scale", "2.5", "'text'",
    ]  # fmt: skip
    assert asking(np.array([1.0, 2.0], np.float32))(x) == "x"
    # Two that are equal, another value, another type, and what is no argument of the call.
    again = x.copy()
    assert [pair(x, again), pair(rows["ids"]), asking([True, True])(x), number(3.5)] == ["", "", "", ""]
    assert (2.5, number(x), scale)[1] == ""


def test_a_number_that_python_reckoned_is_not_another_that_equals_it() -> None:
    class Divided:
        def __truediv__(self, other: object) -> str:
            return name_of_equal(sys._getframe(1), np.asarray(0.0), lambda file: file == __file__)

    x, n = Divided(), 0
    assert [x / (1 - 0.9**n), x / n] == ["", "n"]


def test_common_numbers_far_from_the_call_are_tensorflows_own() -> None:
    one, scope = 1, {"ask": asking(1)}
    text = "def go(given, frames):\n return go(given, frames - 1) if frames else ask()"
    exec(compile(text, "elsewhere.py", "exec"), scope)
    go: Any = scope["go"]
    assert [go(one, frames) for frames in (2, 20)] == ["one", ""]


def test_no_code_of_the_program_runs() -> None:
    class Wary:
        def __array__(self, *_: Any) -> Any:
            raise AssertionError

        def __eq__(self, other: object) -> bool:
            raise AssertionError

        __hash__ = None  # type: ignore[assignment]

    wary, ask = Wary(), asking([1.0])
    assert ask(wary, [wary]) == ""


def test_arrays_numbers_and_lists_of_eager_operations(tmp_path: Path) -> None:
    def program() -> None:
        table, few, factor = np.array([1.0, 5.0]), [2.0, 3.0], 4
        for _ in range(2):
            total = tf.reduce_sum(tf.constant([1.0, 2.0], tf.float64) * table)
            tf.cast(few, tf.float64)
            tf.multiply(total, factor)
            tf.maximum(total, 0.5)

    reader = record(tmp_path, program).reader
    assert scalars(reader, "table") == [5, 5]
    assert scalars(reader, "few") == [3, 3]
    assert scalars(reader, "factor") == [4, 4]
    assert scalars(reader, "0.5") == [0.5, 0.5]
