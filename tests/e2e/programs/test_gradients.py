"""Gradients of every kind: custom, recomputed, persistent, second order, Jacobians."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import tensordbg
from tests.e2e.programs.checking import Program, check


def custom_gradient() -> object:
    @tf.custom_gradient
    def clipped(x: tf.Tensor) -> tuple[tf.Tensor, Any]:
        def gradient(upstream: tf.Tensor) -> tf.Tensor:
            return upstream / x  # HERE

        return tf.abs(x), gradient

    @tf.function
    def slope(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(clipped(x))
        return tape.gradient(y, x)

    return slope(tf.constant([2.0, 0.0]))


def custom_gradient_eagerly() -> object:
    @tf.custom_gradient
    def broken(x: tf.Tensor) -> tuple[tf.Tensor, Any]:
        return x * 2.0, lambda upstream: tf.math.log(upstream - 1.0)  # HERE

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = broken(x)
    return tape.gradient(y, x)


def persistent_tape() -> object:
    x = tf.Variable([4.0, 0.0])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.sqrt(x)
        z = y * y
    return tape.gradient(y, x), tape.gradient(z, x)  # HERE


def second_order() -> object:
    @tf.function
    def hessian(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(x**3)
            slope = inner.gradient(y, x)
        return outer.jacobian(slope, x)

    return hessian(tf.constant([1.0, 2.0]))


def jacobians() -> object:
    @tf.function
    def both(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.sqrt(x)
        return tape.jacobian(y, x), tape.batch_jacobian(y, x)  # HERE

    return both(tf.constant([[4.0, 0.0]]))


def gradients_function_and_hessians() -> object:
    @tf.function
    def both(x: tf.Tensor) -> tuple[list[tf.Tensor], list[tf.Tensor]]:
        y = tf.reduce_sum(x * tf.math.log(x))
        return tf.gradients(y, x), tf.hessians(y, x)

    return both(tf.constant([1.0, 2.0]))


def forward_mode() -> object:
    x = tf.constant([4.0, 0.0])
    with tf.autodiff.ForwardAccumulator(x, tf.ones(2)) as accumulator:
        y = tf.sqrt(x)  # HERE
    return y, accumulator.jvp(y)


def recompute_grad() -> object:
    weight = tf.Variable([1.0, 4.0])

    @tf.recompute_grad
    def layer(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(tf.math.log(x * weight))  # HERE

    @tf.function
    def slope(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            y = layer(x)
        return y, tape.gradient(y, weight)

    return slope(tf.constant([1.0, 0.0]))


def stopped_and_clipped() -> object:
    weight = tf.Variable([3.0, 4.0])

    @tf.function
    def step() -> tuple[tf.Tensor, tf.Tensor]:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(weight * tf.stop_gradient(weight))
        clipped, norm = tf.clip_by_global_norm([tape.gradient(loss, weight)], 1.0)
        weight.assign_sub(clipped[0])
        return norm, weight.read_value()

    return [step() for _ in range(3)]


def a_tape_over_calls_of_functions() -> object:
    weight = tf.Variable([1.0, 0.0])

    @tf.function
    def forward(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(tf.sqrt(weight) * x)

    with tf.GradientTape() as tape:
        # The backward function is made together with the forward one.
        loss = forward(tf.ones(2)) + forward(tf.ones(2))  # HERE
    return tape.gradient(loss, weight)


PROGRAMS: list[Program] = [
    custom_gradient,
    custom_gradient_eagerly,
    persistent_tape,
    second_order,
    jacobians,
    gradients_function_and_hessians,
    forward_mode,
    recompute_grad,
    stopped_and_clipped,
    a_tape_over_calls_of_functions,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_same_bits_and_the_guilty_line(tmp_path: Path, program: Program) -> None:
    check(program, tmp_path)


def test_a_gradient_names_the_operation_it_is_the_gradient_of(tmp_path: Path) -> None:
    checked = check(a_tape_over_calls_of_functions, tmp_path)
    forward = checked.answer["origins"][0]["gradient_of"]["source"]
    assert (forward["function"], forward["text"]) == ("forward", "return tf.reduce_sum(tf.sqrt(weight) * x)")


def test_a_nan_that_tensorflow_writes_down_and_never_takes_is_no_finding(tmp_path: Path) -> None:
    weight = tf.Variable([1.0, 4.0])

    @tf.recompute_grad
    def layer(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(x * weight)

    @tf.function
    def slope(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            y = layer(x)
        return tape.gradient(y, weight)

    with tensordbg.record(tmp_path) as recording:
        slope(tf.constant([1.0, 2.0]))
    found = tensordbg.open(recording.path).why()
    assert found.non_finite_events == 1
    assert not found.origins
