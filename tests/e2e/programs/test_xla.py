"""Functions meant for XLA are recorded without its compilation, which the trace and the report say."""

from __future__ import annotations

from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.e2e.programs.checking import Program, check_lines, recorded_and_why


def jit_compiled() -> object:
    @tf.function(jit_compile=True)
    def compiled(x: tf.Tensor) -> tf.Tensor:
        y = x - 1.0
        return tf.math.log(y)  # HERE

    return compiled(tf.constant([1.0, 2.0]))


def jit_compiled_inside_of_a_plain_one() -> object:
    @tf.function(jit_compile=True)
    def inner(x: tf.Tensor) -> tf.Tensor:
        for _ in range(3):
            x = tf.sqrt(x - 1.0)  # HERE
        return x

    @tf.function
    def outer(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(x)
        return y, tape.gradient(y, x)

    return outer(tf.constant(1.5))


def keras_compiled() -> object:
    keras.utils.set_random_seed(1)

    def loss(labels: tf.Tensor, probs: tf.Tensor) -> tf.Tensor:
        return -tf.reduce_sum(labels * tf.math.log(probs), axis=-1)  # HERE

    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2, "softmax", kernel_initializer="identity")])
    model.compile("sgd", loss, jit_compile=True)
    x = np.array([[1.0, 2.0], [400.0, -400.0]] * 2, np.float32)
    return model.fit(x, np.eye(2, dtype=np.float32)[[0, 1] * 2], batch_size=2, shuffle=False, verbose=0).history


PROGRAMS: list[Program] = [jit_compiled, jit_compiled_inside_of_a_plain_one, keras_compiled]


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_is_recorded_and_said_not_to_be_compiled(tmp_path: Path, program: Program) -> None:
    checked = recorded_and_why(program, tmp_path)
    check_lines(program, checked.answer)
    noted = [function.notes for function in checked.recorded.functions.values() if function.notes]
    assert any("meant to be compiled by XLA" in note for notes in noted for note in notes)
    assert any("XLA" in note for note in checked.answer["notes"])


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_numbers_are_those_of_the_plain_function(tmp_path: Path, program: Program) -> None:
    # XLA rounds otherwise: what runs is compared with the compiled program up to that.
    results: list[object] = []
    recorded_and_why(lambda: results.append(program()), tmp_path)
    for value, expected in zip(tf.nest.flatten(results[0]), tf.nest.flatten(program()), strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-5)
