"""What an eager update writes is checked: the variable, its slots, and of chosen rows those rows alone."""

from __future__ import annotations

from collections.abc import Callable

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.backends.tensorflow.checked import checking, raised

LARGE = 3e38


def _adam(gradient: float, weight: tf.Variable, squares: tf.Variable) -> None:
    tf.raw_ops.ResourceApplyAdam(
        var=weight.handle, m=tf.Variable([0.0]).handle, v=squares.handle, beta1_power=0.9, beta2_power=0.999, lr=0.1,
        beta1=0.9, beta2=0.999, epsilon=1e-7, grad=tf.constant([gradient]),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("program", "op_type"),
    [
        (lambda v: v.assign_add([[LARGE], [0.0]]), "AssignAddVariableOp"),
        (lambda v: v.assign_sub([[-LARGE], [0.0]]), "AssignSubVariableOp"),
        (lambda v: v.scatter_add(tf.IndexedSlices(tf.constant([[LARGE]]), tf.constant([0]))), "ResourceScatterAdd"),
        (lambda v: v.scatter_nd_add([[0, 0]], [LARGE]), "ResourceScatterNdAdd"),
        (
            lambda v: tf.raw_ops.ResourceApplyGradientDescent(var=v.handle, alpha=-LARGE, delta=[[1.0], [0.0]]),
            "ResourceApplyGradientDescent",
        ),
    ],
)
def test_an_update_that_overflows(program: Callable[[tf.Variable], object], op_type: str) -> None:
    variable = tf.Variable([[LARGE], [1.0]])
    with checking():
        said = raised(program, variable)
    assert said is not None
    assert said.op_type == op_type
    assert "in what it wrote into a variable !!!" in said.message
    assert "# of +Inf elements: 1\n" in said.message


def test_a_slot_that_overflows_while_the_variable_is_finite() -> None:
    weight, squares = tf.Variable([1.0]), tf.Variable([0.0])
    with checking():
        assert raised(_adam, 1.0, weight, squares) is None
        said = raised(_adam, 1e25, weight, squares)
    assert said is not None
    assert said.op_type == "ResourceApplyAdam"
    assert np.isfinite(weight.numpy()).all()


def test_rows_that_are_not_written_are_not_read() -> None:
    variable = tf.Variable([[1.0], [np.inf]])
    with checking():
        assert raised(variable.scatter_add, tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]))) is None


def test_where_infinities_may_be_let_pass_a_variable_may_have_held_one() -> None:
    variable = tf.Variable([np.inf])
    with checking(allow=[{"op": "Const"}]):
        assert raised(variable.assign_add, [1.0]) is None


@pytest.mark.parametrize("optimizer", ["sgd", "adam", "rmsprop", "adagrad", "ftrl"])
def test_healthy_optimizers_eagerly(optimizer: str) -> None:
    def trained() -> list[float]:
        variable = keras.Variable([1.0, 2.0])
        update = keras.optimizers.get(optimizer)
        for _ in range(3):
            update.apply([tf.constant([0.5, 0.0])], [variable])
        return [float(each) for each in variable.numpy()]

    plain = trained()
    with checking():
        assert trained() == plain
