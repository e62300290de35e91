"""Eager operations and constants are checked in every thread; what is wrong is said as TensorFlow says it."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tests.backends.tensorflow.checked import Raised, checking, raised


@pytest.fixture(autouse=True)
def _checked() -> Iterator[None]:
    with checking():
        yield


def test_what_tensorflows_own_test_of_an_eager_infinity_wants() -> None:
    x, y = tf.constant([2.0, 3.0]), tf.constant([1.0, 0.0])
    said = raised(lambda: x / y)
    assert said is not None
    assert re.search(r"eagerly-executing op.*\"RealDiv\"", said.message)
    assert re.search(r"dtype.*float32", said.message)
    assert "shape: (2,)\n" in said.message
    assert "# of +Inf elements: 1\n" in said.message
    assert f"0: {x!s}" in said.message
    assert f"1: {y!s}" in said.message


def test_what_tensorflows_own_test_of_half_precision_wants() -> None:
    x = tf.constant([[-1.0]], dtype=tf.float16)
    said = raised(lambda: tf.math.log(1.0 + x))
    assert said is not None
    assert re.search(r"eagerly-executing op.*\"Log\"", said.message)
    assert re.search(r"dtype.*float16", said.message)
    assert "shape: (1, 1)\n" in said.message
    assert "# of -Inf elements: 1\n" in said.message
    assert re.search(r"Input tensor.*0\.", said.message)


@pytest.mark.parametrize(
    ("program", "op_type"),
    [
        (lambda: tf.math.log(tf.constant(0.0, tf.bfloat16)), "Log"),
        (lambda: tf.complex(1.0, 0.0) / tf.complex(0.0, 0.0), "RealDiv"),
        (lambda: tf.constant([1.0, 2.0, np.inf]), "Const"),
        (lambda: tf.convert_to_tensor(np.array([np.nan])), "Const"),
        (lambda: tf.split(tf.math.log([1.0, 0.0]), 2), "Log"),
        (lambda: tf.raw_ops.Sqrt(x=[-1.0]), "Sqrt"),
        (lambda: tf.Variable([0.0]) / 0.0, "RealDiv"),
        (lambda: tf.add_n([tf.constant([3e38]), tf.constant([3e38])]), "AddN"),
    ],
)
def test_kinds_of_operations(program: Callable[[], object], op_type: str) -> None:
    said = raised(program)
    assert said is not None
    assert said.op_type == op_type


def test_outputs_are_counted() -> None:
    said = raised(lambda: tf.linalg.svd([[3e38, 3e38], [3e38, 3e38]]))
    assert isinstance(said, Raised)
    assert "(# of outputs: 3)" in said.message


def test_gradients_are_checked_and_the_tape_goes_on() -> None:
    x = tf.Variable([0.0, 4.0])
    with tf.GradientTape() as tape:
        y = tf.sqrt(x)
    said = raised(lambda: tape.gradient(y, x))
    assert said is not None
    assert said.op_type == "SqrtGrad"
    with tf.GradientTape() as good:
        z = x * x
    assert np.array_equal(good.gradient(z, x).numpy(), [0.0, 8.0])


def test_every_thread() -> None:
    found: list[Raised | None] = []
    thread = threading.Thread(target=lambda: found.append(raised(lambda: tf.math.log([0.0]))))
    thread.start()
    thread.join()
    assert found[0] is not None


def test_healthy_numbers_pass() -> None:
    assert raised(lambda: tf.reduce_max(tf.nn.softmax(tf.random.normal([4, 5]) * 100.0))) is None
    assert raised(lambda: tf.strings.join(["a", "b"])) is None


def test_the_programs_own_line_is_named() -> None:
    said = raised(lambda: tf.math.log([0.0]))
    assert said is not None
    assert re.search(r"Source: .*test_eager\.py \(L\d+\) .*: said = raised\(lambda: tf\.math\.log", said.message)


def test_together_with_a_recording(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path) as recording:
        assert raised(lambda: tf.math.log([0.0])) is not None
        assert raised(tf.function(lambda x: tf.math.log(x)), tf.constant(0.0)) is not None
    assert raised(lambda: tf.math.log([0.0])) is not None
    origins = tensordbg.open(recording.path).why().origins
    assert {origin.view.op_type for origin in origins} == {"Log"}
