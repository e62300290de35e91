"""Divisions: by zero, in gradients, by the number of elements of nothing."""

from __future__ import annotations

import numpy as np
import pytest

from tests.analysis.causes.cases import cause, inf, nan, verdict


def test_division_by_zero() -> None:
    said = verdict("RealDiv", [inf, 1.0], [1.0, 1.0], [0.0, 1.0])
    assert said.cause == "division_by_zero"
    assert said.explanation == "x1:0: 1 of its 2 elements is 0; division by 0 gives an infinity."


def test_zero_by_zero() -> None:
    said = verdict("RealDiv", [nan, 1.0], [0.0, 1.0], [0.0, 1.0])
    assert said.cause == "division_by_zero"
    assert "0/0 is NaN" in said.explanation


def test_the_dividend_may_be_zero() -> None:
    """Only the second input is the divisor."""
    assert cause("RealDiv", [nan], [0.0], [1.0]) != "division_by_zero"


@pytest.mark.parametrize(
    ("op_type", "inputs", "expected"),
    [
        ("Reciprocal", [[0.0]], "division_by_zero"),
        ("Inv", [[0.0]], "division_by_zero"),
        ("Rsqrt", [[0.0]], "division_by_zero"),
        ("FloorMod", [[1.0], [0.0]], "division_by_zero"),
        ("FloorDiv", [[1.0], [0.0]], "division_by_zero"),
        ("TruncateDiv", [[1.0], [0.0]], "division_by_zero"),
        ("Xdivy", [[1.0], [0.0]], "division_by_zero"),
        ("RealDiv", [[1.0], [1e-40]], "division_by_zero"),
        ("DivNoNan", [[1.0], [0.0]], "unknown"),
    ],
)
def test_divisors(op_type: str, inputs: list[list[float]], expected: str) -> None:
    assert cause(op_type, [inf], *inputs) == expected


@pytest.mark.parametrize(("op_type", "what"), [("Reciprocal", "a reciprocal"), ("Rsqrt", "one over a root")])
def test_what_is_infinite_of_0_alone_had_a_0_that_was_not_recorded(op_type: str, what: str) -> None:
    said = verdict(op_type, [inf, 1.0], None)
    assert said.cause == "division_by_zero"
    assert said.explanation == (f"1 of its 2 elements is infinite, which {what} is for 0 alone; x0:0 was not recorded.")
    said = verdict(op_type, [1.0, -inf, inf], None, gradient=True)
    assert said.cause == "infinite_gradient"
    assert said.explanation.startswith("In the backward pass, 2 of its 3 elements are infinite, which")
    assert cause(op_type, [nan], None) != "division_by_zero"
    assert cause("RealDiv", [inf], [1.0], None) != "division_by_zero"


@pytest.mark.parametrize(
    ("op_type", "inputs"),
    [
        ("SqrtGrad", [[0.0, 1.0], [1.0, 1.0]]),
        ("RealDiv", [[1.0], [0.0]]),
        ("Reciprocal", [[0.0]]),
        ("Pow", [[0.0], [-0.5]]),
    ],
)
def test_infinite_gradient(op_type: str, inputs: list[list[float]]) -> None:
    said = verdict(op_type, [inf], *inputs, gradient=True)
    assert said.cause == "infinite_gradient"
    assert "x0:0" in said.explanation or "x1:0" in said.explanation


def test_infinite_gradient_needs_a_zero() -> None:
    assert cause("SqrtGrad", [inf], [1.0], [1.0], gradient=True) == "unknown"
    assert cause("Pow", [inf], [0.0], [0.5], gradient=True) != "infinite_gradient"


def test_a_kernel_of_a_gradient_needs_no_mark() -> None:
    said = verdict("SqrtGrad", [inf], [0.0], [1.0])
    assert said.cause == "infinite_gradient"
    assert "the slope of a square root is infinite there" in said.explanation
    assert "tf.norm" in said.suggestion


@pytest.mark.parametrize(("op_type", "result"), [("Mean", nan), ("Max", -inf), ("Min", inf)])
def test_reduction_of_nothing(op_type: str, result: float) -> None:
    said = verdict(op_type, result, np.zeros((0, 4)), [0])
    assert said.cause == "reduction_of_nothing"
    assert said.explanation.startswith("x0:0 has no elements (shape [0, 4]);")


def test_reduction_of_something() -> None:
    assert cause("Max", -inf, [1.0, 2.0]) == "unknown"


def test_a_zero_in_the_programs_own_backward_code_is_a_division() -> None:
    assert cause("RealDiv", [inf], [1.0], [0.0], gradient=True, own_line=True) == "division_by_zero"


def test_the_slope_at_the_ends_of_a_domain() -> None:
    said = verdict("Reciprocal", [inf], [0.0], gradient=True, forward_type="Acos")
    assert said.explanation == "x0:0: its only element is 0, as Acos is at -1 and 1, where its slope is infinite."
    assert "tf.clip_by_value(x, -1 + 1e-6, 1 - 1e-6)" in said.suggestion
    said = verdict("Reciprocal", [inf], [0.0], gradient=True, forward_type="Acosh")
    assert "as Acosh is at 1, where" in said.explanation
    assert "tf.maximum(x, 1 + 1e-6)" in said.suggestion
