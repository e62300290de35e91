from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import keras
import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.trap.targets import NotedTargets
from tensordbg.trapping.targets import GRADIENT, LOSS, SCALE, TrapTarget


@pytest.fixture
def notes() -> Iterator[NotedTargets]:
    noted = NotedTargets(lambda _: contextlib.nullcontext())
    noted.install()
    yield noted
    noted.uninstall()


def noted_of(notes: NotedTargets, function: Any, *given: Any) -> list[TrapTarget]:
    return notes.of(tf.function(function).get_concrete_function(*given).graph)


def test_a_tape_gives_the_loss_and_the_gradients_of_variables(notes: NotedTargets) -> None:
    kernel = tf.Variable([1.0, 2.0], name="kernel")

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(x * kernel)
        return tape.gradient(loss, [kernel, x])

    found = noted_of(notes, step, tf.constant([1.0, 2.0]))
    assert [(each.role, each.variable) for each in found] == [(GRADIENT, "kernel"), (LOSS, "")]


def test_gradients_of_some_rows_are_noted_by_their_values(notes: NotedTargets) -> None:
    table = tf.Variable(tf.ones((5, 2)), name="table")

    def step(rows: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, rows))
        return tape.gradient(loss, table).values

    assert {each.role for each in noted_of(notes, step, tf.constant([0, 1]))} == {GRADIENT, LOSS}


def test_of_a_scaled_loss_the_loss_before_is_tested_and_the_scale_known(notes: NotedTargets) -> None:
    kernel = tf.Variable([1.0, 2.0])
    optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD())
    optimizer.build([kernel])

    plain = []

    def step(x: Any) -> None:
        with tf.GradientTape() as tape:
            plain.append(tf.reduce_sum(x * kernel))
            loss = optimizer.scale_loss(plain[-1])
        optimizer.apply_gradients([(tape.gradient(loss, kernel), kernel)])

    found = noted_of(notes, step, tf.constant([1.0, 2.0]))
    assert [each.role for each in found] == [LOSS, SCALE, GRADIENT]
    assert found[0].operation == plain[-1].op.name


def test_everything_is_as_before_at_the_end() -> None:
    before = tf.GradientTape.gradient
    noted = NotedTargets(lambda _: contextlib.nullcontext())
    noted.install()
    assert tf.GradientTape.gradient is not before
    noted.uninstall()
    assert tf.GradientTape.gradient is before
