"""What is differentiated is read from stacks and names of the framework."""

from __future__ import annotations

import pytest

from tensordbg.gradient_names import (
    computed_by_program,
    differentiated_name,
    differentiated_type,
    differentiates,
    in_gradient_scope,
    is_backward_function,
)
from tensordbg.model import Frame

LIBRARY = "/lib/tensorflow/python"


@pytest.mark.parametrize(
    ("file", "function", "expected"),
    [
        ("ops/math_grad.py", "_LogGrad", "log"),
        ("ops/math_grad.py", "_XLogyGrad", "xlogy"),
        ("ops/nn_grad.py", "_SoftmaxGrad", "softmax"),
        ("ops/math_grad.py", "_safe_shape_div", ""),
        ("ops/math_ops.py", "_LogGrad", ""),
    ],
)
def test_the_type_in_a_stack(file: str, function: str, expected: str) -> None:
    frames = [
        Frame("/home/me/train.py", 7, "step", True),
        Frame(f"{LIBRARY}/eager/backprop.py", 1, "_gradient_function", False),
        Frame(f"{LIBRARY}/{file}", 2, function, False),
        Frame(f"{LIBRARY}/ops/math_ops.py", 3, "reciprocal", False),
    ]
    assert differentiated_type(frames) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gradients/Log_grad/Reciprocal", "Log"),
        ("gradients_2/norm/Sqrt_grad/SqrtGrad", "norm/Sqrt"),
        ("gradient_tape/map/while/gradients/map/while/std/Sqrt_grad/SqrtGrad", "map/while/std/Sqrt"),
        ("a/gradients/cond_grad/gradients/cond/Log_grad/Reciprocal", "cond/Log"),
        ("gradient_tape/Reciprocal", ""),
    ],
)
def test_the_name_in_a_scope(name: str, expected: str) -> None:
    assert differentiated_name(name) == expected


@pytest.mark.parametrize(
    ("file", "function", "expected"),
    [
        ("eager/backprop.py", "_gradient_function", True),
        ("eager/backprop.py", "gradient", True),
        ("ops/gradients_util.py", "_GradientsHelper", True),
        ("ops/gradients_impl.py", "gradients_v2", True),
        ("eager/backprop.py", "__enter__", False),
        ("ops/math_grad.py", "gradient", False),
    ],
)
def test_who_takes_gradients(file: str, function: str, expected: bool) -> None:
    assert differentiates(Frame(f"{LIBRARY}/{file}", 1, function, False)) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gradient_tape/MatMul", True),
        ("model/gradients_1/MatMul_grad/MatMul", True),
        ("my_gradients/MatMul", False),
        ("MatMul", False),
    ],
)
def test_scopes_of_gradients(name: str, *, expected: bool) -> None:
    assert in_gradient_scope(name) is expected


def test_what_the_program_computes_while_gradients_are_taken() -> None:
    user, tape = Frame("/home/me/train.py", 7, "step", True), Frame("/l/eager/backprop.py", 1, "gradient", False)
    operation = Frame("/l/ops/gen_math_ops.py", 3, "log", False)
    assert computed_by_program([user, tape, user, operation])
    assert not computed_by_program([user, tape, user, tape, operation])
    assert not computed_by_program([user, tape, operation])
    assert not computed_by_program([user])


def test_backward_functions() -> None:
    assert [is_backward_function(name) for name in ("__backward_step_3", "__inference___backward_step_3_9")] == [
        True
    ] * 2
    assert not is_backward_function("__inference_step_3")
