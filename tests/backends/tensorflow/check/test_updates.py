"""A variable that an update made bad is found as it is read; the update's line is blamed, where it is certain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.check.updates import updates
from tensordbg.tensorflow import disable_check_numerics, enable_check_numerics
from tests.backends.tensorflow.checked import checking, raised


@pytest.fixture(autouse=True)
def _checked() -> Iterator[None]:
    with checking(path_length_limit=None):
        yield


def _line(words: str) -> int:
    return next(
        number
        for number, line in enumerate(Path(__file__).read_text(encoding="utf-8").splitlines(), 1)
        if words in line and "_line(" not in line
    )


def _said(program: Callable[[], object]) -> str:
    said = raised(program)
    assert said is not None
    return said.message


def test_the_line_of_an_update_of_an_earlier_step() -> None:
    weight = tf.Variable([1.0, 2.0])

    @tf.function
    def step(rate: tf.Tensor) -> tf.Tensor:
        loss = tf.reduce_sum(weight * 0.5)
        weight.assign_sub(rate * [1e20, 0.0])  # which overflows
        return loss

    weight.assign([-3e38, 2.0])
    step(tf.constant(0.0))
    step(tf.constant(3e18))
    message = _said(lambda: step(tf.constant(0.0)))
    line = _line("# which overflows")
    assert f"of a variable made bad by AssignSubVariableOp, {Path(__file__).name}:{line} !!!" in message
    assert f"Source: {__file__} (L{line}) step: weight.assign_sub" in message
    assert "Read: " in message
    assert "loss = tf.reduce_sum(weight * 0.5)" in message


def test_of_one_that_ran_before_in_the_same_call() -> None:
    weight = tf.Variable([3e38])

    @tf.function
    def step() -> tf.Tensor:
        weight.assign_add([3e38])  # which overflows at once
        return weight + 0.0

    assert f"by AssignAddVariableOp, {Path(__file__).name}:{_line('# which overflows at once')}" in _said(step)


def test_of_what_was_bad_before_any_update_ran_the_read_is_told() -> None:
    disable_check_numerics()
    weight = tf.Variable([np.nan])
    enable_check_numerics(path_length_limit=None)

    @tf.function
    def step() -> tf.Tensor:
        loss = weight + 0.0  # read
        weight.assign_add([1.0])
        return loss

    message = _said(step)
    assert "made bad by" not in message
    assert f"(L{_line('# read')})" in message


def test_of_several_lines_that_update_it_none_is_blamed() -> None:
    weight = tf.Variable([3e38])

    @tf.function
    def step(which: tf.Tensor) -> tf.Tensor:
        loss = weight + 0.0
        if which > 0:
            weight.assign_add([3e38])
        else:
            weight.assign_sub([1.0])
        return loss

    step(tf.constant(1))
    assert "made bad by" not in _said(lambda: step(tf.constant(1)))


@pytest.mark.parametrize(
    ("op_type", "is_update"),
    [
        ("ResourceApplyAdam", True),
        ("ResourceScatterAdd", True),
        ("AssignAddVariableOp", True),
        ("AssignVariableOp", False),
        ("ResourceScatterUpdate", False),
        ("ReadVariableOp", False),
    ],
)
def test_what_an_update_is(op_type: str, is_update: bool) -> None:
    assert updates(op_type) == is_update


@pytest.mark.parametrize("rows", [None, [0]], ids=["all", "rows"])
def test_what_an_update_keeps_is_looked_at_behind_it(rows: list[int] | None) -> None:
    """The square of a gradient overflows in the sum of squares: the weight is divided by it, and stays finite."""
    weight, squares = tf.Variable([1.0, 2.0]), tf.Variable([0.1, 0.1])

    @tf.function
    def step(gradient: tf.Tensor) -> tf.Tensor:
        if rows is None:
            tf.raw_ops.ResourceApplyAdagrad(var=weight.handle, accum=squares.handle, lr=0.1, grad=gradient)
        else:
            tf.raw_ops.ResourceSparseApplyAdagrad(
                var=weight.handle, accum=squares.handle, lr=0.1, grad=gradient[:1], indices=rows
            )
        return tf.reduce_sum(weight)

    assert np.isfinite(step(tf.constant([3.0, 1.0])))
    message = _said(lambda: step(tf.constant([3e19, 1.0])))
    kind = "" if rows is None else "Sparse"
    line = _line(f"tf.raw_ops.Resource{kind}ApplyAdagrad(")
    assert f"of a variable made bad by Resource{kind}ApplyAdagrad, {Path(__file__).name}:{line} !!!" in message
    assert f'Operation name: "Resource{kind}ApplyAdagrad/new_accum"' in message
