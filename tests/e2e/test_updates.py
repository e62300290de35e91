"""Optimizers that update a variable in one operation: what they keep beside it, and what goes wrong there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from tensorflow.python.framework import op_def_registry

import tensordbg
from tensordbg.analysis.program.optimizers import UPDATES
from tensordbg.wire.why import why_to_json

Gradients = Sequence[Sequence[float]]


def first_origin(folder: Path, program: Callable[[], object]) -> dict[str, Any]:
    with tensordbg.record(folder) as recording:
        program()
    origin: dict[str, Any] = why_to_json(tensordbg.open(recording.path).why())["origins"][0]
    return origin


def train(op_type: str, dtype: tf.DType, slots: int, numbers: Sequence[float], gradients: Gradients) -> None:
    """Updates a variable by some gradients, one after the other; `numbers` are the operands before the gradient."""
    variables = [tf.Variable([value, value], dtype=dtype) for value in (1.0, *[0.0] * slots)]
    names = [given.name for given in op_def_registry.get(op_type).input_arg]

    @tf.function
    def step(gradient: tf.Tensor) -> tf.Tensor:
        handles = [variable.handle for variable in variables]
        given = [*handles, *[tf.cast(tf.constant(value), dtype) for value in numbers], gradient]
        getattr(tf.raw_ops, op_type)(**dict(zip(names, given, strict=False)))
        return tf.reduce_sum(variables[0])

    for gradient in gradients:
        step(tf.constant(gradient, dtype))


ADAM = (0.9, 0.999, 0.1, 0.9, 0.999)
RMSPROP = (0.1, 0.9, 0.0)
SMALL = [[0.0, 1.0], [0.0, 1.0]]


HALF: list[tuple[str, int, Sequence[float]]] = [
    ("ResourceApplyAdam", 2, (*ADAM, 1e-8)),
    ("ResourceApplyAdamWithAmsgrad", 3, (*ADAM, 1e-8)),
    ("ResourceApplyRMSProp", 2, (*RMSPROP, 1e-8)),
    ("ResourceApplyAdagradV2", 1, (0.1, 1e-8)),
]


@pytest.mark.parametrize(("op_type", "slots", "numbers"), HALF)
def test_an_epsilon_that_is_zero_in_half_precision(
    tmp_path: Path, op_type: str, slots: int, numbers: Sequence[float]
) -> None:
    origin = first_origin(tmp_path, lambda: train(op_type, tf.float16, slots, numbers, SMALL))
    assert (origin["cause"], origin["op_type"]) == ("division_by_zero", op_type)
    assert f"The epsilon of this {op_type}" in origin["explanation"]
    assert "is 0 in float16" in origin["explanation"]
    assert "epsilon=1e-4" in origin["suggestion"]


def accumulator_of_zero() -> None:
    train("ResourceApplyAdagrad", tf.float32, 1, (0.1,), SMALL)


def test_an_accumulator_that_starts_at_zero(tmp_path: Path) -> None:
    origin = first_origin(tmp_path, accumulator_of_zero)
    assert origin["cause"] == "division_by_zero"
    assert "has no epsilon, and its accumulator started at 0" in origin["explanation"]
    assert "initial_accumulator_value" in origin["suggestion"]


def adam_of_a_session() -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        weight = v1.get_variable("w", [2], tf.float16, v1.ones_initializer(), use_resource=False)
        given = v1.placeholder(tf.float16, [2])
        train = v1.train.AdamOptimizer(0.01).minimize(tf.reduce_sum(weight * given))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(train, {given: [0.0, 1.0]})


def test_adam_of_a_session(tmp_path: Path) -> None:
    origin = first_origin(tmp_path, adam_of_a_session)
    assert (origin["cause"], origin["op_type"]) == ("division_by_zero", "ApplyAdam")
    assert "is 0 in float16" in origin["explanation"]


def slot_that_overflows(rows: list[int], kind: str) -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        weight = v1.get_variable("w", [2, 1], tf.float32, v1.ones_initializer(), use_resource=bool(kind))
        given = v1.placeholder(tf.float32, [])
        chosen = tf.gather(weight, rows) if len(rows) == 1 else weight
        train = v1.train.RMSPropOptimizer(0.01).minimize(tf.reduce_sum(chosen * given))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for factor in (1.0, 3e25, 1.0, 1.0):
                session.run(train, {given: factor})


@pytest.mark.parametrize("kind", ["", "Resource"])
@pytest.mark.parametrize("rows", [[0, 1], [0]], ids=["dense", "sparse"])
def test_a_slot_of_a_session_that_overflowed(tmp_path: Path, rows: list[int], kind: str) -> None:
    origin = first_origin(tmp_path, lambda: slot_that_overflows(rows, kind))
    assert origin["cause"] == "arithmetic_overflow"
    assert origin["op_type"] == kind + ("ApplyRMSProp" if len(rows) == 2 else "SparseApplyRMSProp")
    assert origin["step"] == 1
    assert origin["inputs"][0]["tensor"] == "w/RMSProp (old)"


def square_beyond_the_limit() -> None:
    gradients = [[1.0, 1.0], [3e19, 1.0], [1e18, 1.0], [1.0, 1.0]]
    train("ResourceApplyRMSProp", tf.float32, 2, (*RMSPROP, 1e-7), gradients)


def test_a_square_beyond_the_limit_steps_before(tmp_path: Path) -> None:
    origin = first_origin(tmp_path, square_beyond_the_limit)
    assert origin["cause"] == "arithmetic_overflow"
    assert origin["step"] == 1
    assert "In step 1, gradient:0 went up to 3e19, whose square is beyond" in origin["explanation"]


def square_that_float32_would_hold() -> None:
    gradients = [[1.0, 1.0], [300.0, 1.0], [3e4, 1.0], [1.0, 1.0], [1.0, 1.0]]
    train("ResourceApplyAdam", tf.float16, 2, (*ADAM, 1e-3), gradients)


def test_a_square_that_float32_would_hold(tmp_path: Path) -> None:
    origin = first_origin(tmp_path, square_that_float32_would_hold)
    assert origin["cause"] == "half_precision_overflow"
    assert "whose square is beyond 6.55e4" in origin["explanation"]


def sum_of_squares_that_overflows() -> None:
    train("ResourceApplyAdagradV2", tf.float32, 1, (0.1, 1e-7), [[1e19, 1.0]] * 5)


def test_a_sum_of_squares_that_overflows_little_by_little(tmp_path: Path) -> None:
    origin = first_origin(tmp_path, sum_of_squares_that_overflows)
    assert (origin["cause"], origin["op_type"]) == ("arithmetic_overflow", "ResourceApplyAdagradV2")
    assert origin["step"] == 3
    assert "were finite before; the update went beyond 3.403e38" in origin["explanation"]


def update_that_overflowed_eagerly() -> None:
    weight, mean, squares = (tf.Variable([value], name=name) for value, name in ((1.0, "w"), (0.0, "m"), (0.0, "v")))
    for gradient in (1.0, 1e25, 1.0, 1.0):
        tf.raw_ops.ResourceApplyAdam(
            var=weight.handle, m=mean.handle, v=squares.handle, beta1_power=0.9, beta2_power=0.999, lr=0.1,
            beta1=0.9, beta2=0.999, epsilon=1e-7, grad=tf.constant([gradient]),
        )  # fmt: skip


def test_eagerly_the_update_that_overflowed_is_named(tmp_path: Path) -> None:
    origin = first_origin(tmp_path, update_that_overflowed_eagerly)
    assert (origin["cause"], origin["op_type"], origin["step"]) == ("arithmetic_overflow", "ResourceApplyAdam", 1)
    assert origin["inputs"][0]["tensor"] == "v (old)"


def update_that_made_the_gradient_large() -> None:
    weight, mean, momentum = (tf.Variable([value]) for value in (1.0, 0.0, 0.0))

    @tf.function
    def step(rate: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(weight))
        tf.raw_ops.ResourceApplyRMSProp(
            var=weight.handle, ms=mean.handle, mom=momentum.handle, lr=rate, rho=0.9, momentum=0.0, epsilon=1e-7,
            grad=tape.gradient(loss, weight),
        )  # fmt: skip
        return weight + 0.0

    for rate in (0.01, 1e25, 0.01, 0.01, 0.01):
        step(tf.constant(rate))


def test_the_update_that_made_the_gradient_large_is_named(tmp_path: Path) -> None:
    origin = first_origin(tmp_path, update_that_made_the_gradient_large)
    assert origin["op_type"] == "ResourceApplyRMSProp"
    assert "In step 2, gradient_tape/Mul_1:0 went up" in origin["explanation"]
    assert "had grown from 0.9684 to 2.259e25 in one update, in step 1 (line" in origin["explanation"]
    assert "lower the learning rate" in origin["suggestion"]


PROGRAMS: dict[str, Callable[[], object]] = {
    **{f"half_{op_type}": partial(train, op_type, tf.float16, slots, given, SMALL) for op_type, slots, given in HALF},
    "slot_that_overflows": partial(slot_that_overflows, [0, 1], ""),
    "sparse_slot_that_overflows": partial(slot_that_overflows, [0], ""),
    "slot_of_a_resource_that_overflows": partial(slot_that_overflows, [0, 1], "Resource"),
    "sparse_slot_of_a_resource_that_overflows": partial(slot_that_overflows, [0], "Resource"),
    **{
        program.__name__: program
        for program in (
            accumulator_of_zero,
            adam_of_a_session,
            square_beyond_the_limit,
            square_that_float32_would_hold,
            sum_of_squares_that_overflows,
            update_that_overflowed_eagerly,
            update_that_made_the_gradient_large,
        )
    },
}


@pytest.mark.parametrize("name", sorted(UPDATES))
def test_the_positions_of_operands_are_those_of_tensorflow(name: str) -> None:
    update = UPDATES[name]
    tried = 0
    for op_type in (f"{kind}{name}" for kind in ("Apply", "ResourceApply", "SparseApply", "ResourceSparseApply")):
        found = op_def_registry.get(op_type)
        if found is None:
            continue
        tried += 1
        names = [given.name for given in found.input_arg]
        assert names[update.gradient] in ("grad", "delta")
        assert ("epsilon" in names) == (update.epsilon >= 0)
        assert update.epsilon < 0 or names[update.epsilon] == "epsilon"
    assert tried


REFERENCE, RESOURCE = False, True


@pytest.mark.parametrize(
    ("kind", "write", "first", "given", "cause", "op_type"),
    [
        (REFERENCE, "scatter_div", 1.0, [0.0], "division_by_zero", "ScatterDiv"),
        (REFERENCE, "scatter_sub", 1.0, [2.0], "log_of_negative", "Log"),
        (REFERENCE, "scatter_mul", 1.0, [0.0], "log_of_zero", "Log"),
        (REFERENCE, "scatter_mul", 0.0, [float("inf")], "zero_times_inf", "ScatterMul"),
        (REFERENCE, "assign_add", 1.0, [float("inf"), float("-inf")], "inf_minus_inf", "AssignAdd"),
        (RESOURCE, "scatter_sub", 1.0, [2.0], "log_of_negative", "Log"),
        (RESOURCE, "assign_add", 1.0, [float("inf"), float("-inf")], "inf_minus_inf", "AssignAddVariableOp"),
        (RESOURCE, "scatter_add", 1.0, [float("inf"), float("-inf")], "inf_minus_inf", "ResourceScatterAdd"),
    ],
)
def test_what_a_write_of_a_session_made_of_the_old_value(
    tmp_path: Path, kind: bool, write: str, first: float, given: list[float], cause: str, op_type: str
) -> None:
    v1 = tf.compat.v1

    def program() -> None:
        with tf.Graph().as_default():
            weight = v1.get_variable("w", [3], initializer=v1.constant_initializer(first), use_resource=kind)
            change = v1.placeholder(tf.float32, [1])
            rows = ([1], change) if write.startswith("scatter") else (tf.tile(change, [3]),)
            with tf.control_dependencies([getattr(v1, write)(weight, *rows)]):
                read = weight.read_value()
            result = tf.math.log(read) if op_type == "Log" else read
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                for number in given:
                    session.run(result, {change: [number]})

    with tensordbg.record(tmp_path) as recording:
        program()
    origins = why_to_json(tensordbg.open(recording.path).why())["origins"]
    found = [(each["cause"], each["op_type"]) for each in origins if each["op_type"] not in {"Placeholder", "Const"}]
    assert found[:1] == [(cause, op_type)]
    assert not [each for each in origins if each["cause"] in {"bad_variable", "unknown"}]
