"""The forward operation of a gradient is found by what both are computed from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.finding import Origin
from tensordbg.analysis.why import why
from tensordbg.report.findings.origin_text import forward_source
from tensordbg.trace.reader import open_trace


def first_gradient(folder: Path, forward: Callable[[tf.Tensor], tf.Tensor], start: list[float]) -> Origin:
    """The origin in the backward pass of a function."""
    variable = tf.Variable(start)

    @tf.function
    def step() -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(forward(variable * 1.0))
        variable.assign_sub(tape.gradient(loss, variable))

    with tensordbg.record(folder):
        step()
    return next(each for each in why(open_trace(folder)).origins if each.gradient_of is not None)


def by_arc_cosine(x: tf.Tensor) -> tf.Tensor:
    # The shape takes the same tensor, and is no number that has a gradient.
    return tf.acos(x) * tf.cast(tf.shape(x)[0], tf.float32)  # FORWARD


def by_arc_sine_and_others(x: tf.Tensor) -> tf.Tensor:
    other = tf.sin(x)
    with tf.name_scope("inner"):
        return tf.asin(x) + other  # FORWARD


def by_square_root(x: tf.Tensor) -> tf.Tensor:
    return tf.sqrt(x - 1.0)  # FORWARD


@pytest.mark.parametrize(
    ("forward", "expected"),
    [(by_arc_cosine, "Acos:0"), (by_arc_sine_and_others, "inner/Asin:0"), (by_square_root, "Sqrt:0")],
)
def test_the_line_of_the_forward_operation_is_told(
    tmp_path: Path, forward: Callable[[tf.Tensor], tf.Tensor], expected: str
) -> None:
    origin = first_gradient(tmp_path / "trace", forward, [1.0, 2.0 if forward is by_square_root else 0.5])
    assert origin.gradient_of is not None
    assert origin.gradient_of.tensor == expected
    source = forward_source(origin)
    assert source is not None
    assert source.text.endswith("# FORWARD")


def test_where_a_forward_pass_is_computed_once_more_it_is_that_one(tmp_path: Path) -> None:
    def layer(x: tf.Tensor) -> tf.Tensor:
        return tf.sqrt(tf.sin(x)) + tf.sqrt(x + 1.0)  # FORWARD

    origin = first_gradient(tmp_path / "trace", tf.recompute_grad(layer), [0.0, 1.0])
    source = forward_source(origin)
    assert source is not None
    assert source.text.endswith("# FORWARD")


def test_two_operations_that_take_the_same_are_told_apart(tmp_path: Path) -> None:
    def twice(x: tf.Tensor) -> tf.Tensor:
        other = tf.acos(x)
        return other + tf.asin(x)

    first_gradient(tmp_path / "trace", twice, [1.0])
    found = why(open_trace(tmp_path / "trace")).origins
    assert {each.gradient_of.tensor for each in found if each.gradient_of} == {"Acos:0", "Asin:0"}


def test_an_eager_gradient_has_one_too(tmp_path: Path) -> None:
    x = tf.Variable([0.0, 1.0])
    with tensordbg.record(tmp_path):
        with tf.GradientTape() as tape:
            other = x * 2.0
            loss = tf.reduce_sum(tf.acos(x) + other)  # FORWARD
        tape.gradient(loss, x)
    (origin,) = why(open_trace(tmp_path)).origins
    assert origin.gradient_of is not None
    assert origin.gradient_of.tensor == "Acos:0"
    source = forward_source(origin)
    assert source is not None
    assert source.text.endswith("# FORWARD")


# The first gradients are finite at these, the second are not.
SECOND = {
    "Sqrt:0": (lambda x: x * tf.sqrt(x), [0.0, 1.0]),  # FORWARD
    "Log:0": (lambda x: x * x * tf.math.log(x + 1.0) * 0.0 + tf.math.log(x), [1e-30, 1.0]),  # FORWARD
    "Pow:0": (lambda x: x**1.5, [0.0, 1.0]),  # FORWARD
}


@pytest.mark.parametrize("eagerly", [False, True])
@pytest.mark.parametrize("expected", SECOND)
def test_of_the_gradient_of_a_gradient_too(tmp_path: Path, expected: str, eagerly: bool) -> None:
    forward, start = SECOND[expected]

    def curvature(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = forward(x)
            slope = inner.gradient(y, x)
        return tf.reduce_sum(outer.gradient(slope, x))

    with tensordbg.record(tmp_path):
        (curvature if eagerly else tf.function(curvature))(tf.constant(start))
    origin = why(open_trace(tmp_path)).origins[0]
    source = forward_source(origin)
    assert source is not None
    assert source.text.endswith("# FORWARD"), origin.view
