"""Python functions that graphs call back: what they compute eagerly is recorded, and the graph goes on from there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from tests.e2e.programs.checking import Program, check


def py_function_eagerly() -> object:
    return tf.py_function(lambda x: tf.math.log(x), [tf.constant([1.0, 0.0])], tf.float32)  # HERE


def py_function_in_a_function() -> object:
    def python(x: tf.Tensor) -> tf.Tensor:
        return tf.math.log(x - 1.0)  # HERE

    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        return tf.py_function(python, [x * 1.0], tf.float32) * 2.0

    return program(tf.constant([1.0, 2.0]))


def py_function_with_a_gradient() -> object:
    def python(x: tf.Tensor) -> tf.Tensor:
        return x * x

    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(python, [x], tf.float32)
        return tape.gradient(y, x)

    return program(tf.constant([1.0, 2.0]))


def numpy_function() -> object:
    def python(x: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(x)

    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        return tf.exp(tf.numpy_function(python, [x], tf.float32)) + 1.0  # HERE

    return program(tf.constant([1.0, 0.0]))


def numpy_function_in_a_pipeline() -> object:
    def python(x: np.ndarray) -> np.ndarray:
        return np.asarray(x * 2.0, np.float32)

    data = tf.data.Dataset.from_tensor_slices([1.0, 0.0])
    return list(data.map(lambda x: 1.0 / tf.numpy_function(python, [x], tf.float32)))  # HERE


def py_function_in_a_loop() -> object:
    def python(x: tf.Tensor) -> tf.Tensor:
        return tf.sqrt(x - 1.0)  # HERE

    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(3):
            x = tf.py_function(python, [x], tf.float32)
            x.set_shape([])
        return x

    return program(tf.constant(1.5))


def functions_run_eagerly() -> object:
    tf.config.run_functions_eagerly(True)
    try:

        @tf.function
        def program(x: tf.Tensor) -> tf.Tensor:
            y = x / 2.0
            return tf.math.log(y)  # HERE

        return program(tf.constant([2.0, 0.0]))
    finally:
        tf.config.run_functions_eagerly(False)


def a_functions_python_form() -> object:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        return tf.math.log(x)  # HERE

    return program.python_function(tf.constant(0.0))


PROGRAMS: list[Program] = [
    py_function_eagerly,
    py_function_in_a_function,
    py_function_with_a_gradient,
    numpy_function,
    numpy_function_in_a_pipeline,
    py_function_in_a_loop,
    functions_run_eagerly,
    a_functions_python_form,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_same_bits_and_the_guilty_line(tmp_path: Path, program: Program) -> None:
    check(program, tmp_path)


def test_what_the_python_function_computes_is_recorded_too(tmp_path: Path) -> None:
    checked = check(py_function_in_a_function, tmp_path)
    log = checked.recorded.one("Log")
    assert (log.row["neg_inf"], checked.recorded.user_frames(log)[-1].function) == (1, "python")
    assert checked.recorded.one("EagerPyFunc").row["neg_inf"] == 1
