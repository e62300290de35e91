"""Overflow: told by the magnitudes of what went in, and by how they grew."""

from __future__ import annotations

import pytest

from tensordbg.analysis.causes.case import Growth
from tests.analysis.causes.cases import cause, inf, nan, verdict

GROWTH = Growth("x0:0", (1e3, 1e9, 1e18, 1e27), "step")


def test_exp_overflow_gives_the_limit() -> None:
    said = verdict("Exp", [inf, 1.0], [91.2, 0.0])
    assert said.cause == "exp_overflow"
    assert said.explanation == (
        "The largest element of x0:0, 91.2, exceeds 88.72, the largest number whose exponential float32 can hold."
    )


@pytest.mark.parametrize(
    ("op_type", "given", "dtype", "expected"),
    [
        ("Exp", 80.0, "float32", "unknown"),
        ("Exp", 700.0, "float64", "unknown"),
        ("Exp", 710.0, "float64", "exp_overflow"),
        ("Expm1", 90.0, "float32", "exp_overflow"),
        ("Sinh", -91.0, "float32", "exp_overflow"),
        ("Cosh", -91.0, "float32", "exp_overflow"),
        ("Exp", -91.0, "float32", "unknown"),
        ("Exp", 12.0, "float16", "half_precision_overflow"),
        ("Exp", 90.0, "float16", "exp_overflow"),
        ("Exp", 90.0, "bfloat16", "exp_overflow"),
    ],
)
def test_exponentials(op_type: str, given: float, dtype: str, expected: str) -> None:
    assert cause(op_type, [inf], [given], dtype=dtype) == expected


@pytest.mark.parametrize(
    ("op_type", "inputs"),
    [
        ("Mul", [[1e20], [1e20]]),
        ("AddV2", [[3e38], [3e38]]),
        ("Square", [[1e20]]),
        ("SquaredDifference", [[1e20], [0.0]]),
        ("Sum", [[1e38] * 10, [0]]),
        ("Prod", [[1e10] * 5, [0]]),
        ("MatMul", [[[2e19, 2e19]], [[1e19], [1e19]]]),
        ("Conv2D", [[1e19] * 4, [1e19] * 4]),
        ("Einsum", [[1e20], [1e20]]),
        ("Pow", [[10.0], [40.0]]),
        ("RealDiv", [[1e30], [1e-10]]),
    ],
)
def test_arithmetic_overflow(op_type: str, inputs: list[list[float]]) -> None:
    said = verdict(op_type, [inf], *inputs)
    assert said.cause == "arithmetic_overflow"
    assert "3.403e38" in said.explanation


def test_a_product_may_be_nan_where_its_terms_overflow() -> None:
    assert cause("MatMul", [[nan]], [[1e30, 1e30]], [[1e30], [-1e30]]) == "arithmetic_overflow"


@pytest.mark.parametrize(
    ("op_type", "inputs"),
    [("Mul", [[1e10], [1e10]]), ("Sum", [[1.0] * 10, [0]]), ("MatMul", [[[1.0]], [[1.0]]]), ("Relu", [[1e38]])],
)
def test_small_inputs_do_not_overflow(op_type: str, inputs: list[list[float]]) -> None:
    assert cause(op_type, [inf], *inputs) == "unknown"


def test_half_precision_overflow() -> None:
    said = verdict("Mul", [inf], [300.0], [300.0], dtype="float16")
    assert said.cause == "half_precision_overflow"
    assert "300" in said.explanation
    assert "6.55e4" in said.explanation
    assert cause("MatMul", [[inf]], [[1e3] * 90], [[1e3]] * 90, dtype="float16") == "half_precision_overflow"
    assert cause("RealDiv", [inf], [1.0], [1e-6], dtype="float16") == "half_precision_overflow"


def test_what_float32_could_not_hold_either() -> None:
    assert cause("Mul", [inf], [1e30], [1e30], dtype="bfloat16") == "arithmetic_overflow"


def test_cast_overflow() -> None:
    said = verdict("Cast", [inf], [1e5], dtype="float16", dtype0="float32")
    assert said.cause == "cast_overflow"
    assert said.explanation == "x0:0, float32, goes up to 1e5; the largest number of float16 is 6.55e4."
    assert cause("Cast", [inf], [1e3], dtype="float16") == "unknown"


@pytest.mark.parametrize(
    ("op_type", "inputs"), [("Mul", [[1e27], [1e27]]), ("Exp", [[1e27]]), ("MatMul", [[[1e27]], [[1e27]]])]
)
def test_diverging_values_come_before_overflow(op_type: str, inputs: list[list[float]]) -> None:
    said = verdict(op_type, [inf], *inputs, growth=GROWTH)
    assert said.cause == "diverging_values"
    assert "x0:0 grew step by step: 1000, 1e9, 1e18, 1e27" in said.explanation
    assert "learning rate" in said.suggestion


def test_a_loop_that_diverges() -> None:
    growth = Growth("x0:0", tuple(10.0**k for k in range(30, 39)), "iteration")
    said = verdict("Mul", [inf], [1e38], [10.0], growth=growth)
    assert "1e30, 1e31, ..., 1e36, 1e37, 1e38" in said.explanation
    assert "loop" in said.suggestion


def test_growth_explains_nothing_but_overflow() -> None:
    assert cause("Log", [-inf], [0.0], growth=GROWTH) == "log_of_zero"


def test_an_update_that_overflows() -> None:
    said = verdict("AssignSubVariableOp", [inf], [1e38], [3e38], written=True, variable="w")
    assert said.cause == "arithmetic_overflow"
    assert "the variable w itself" in said.explanation
    assert cause("AssignSubVariableOp", [inf], [1e38], [3e38], written=True, growth=GROWTH) == "diverging_values"


def test_an_update_by_reference_beyond_the_limit() -> None:
    said = verdict("ApplyGradientDescent", [inf], [4.8e36], 30.0, [-1.3e37])
    assert said.cause == "arithmetic_overflow"
    assert "Lower the learning rate" in said.suggestion
    assert cause("ApplyGradientDescent", [inf], [4.8e36], 30.0, [inf]) == "unknown"
    assert cause("ApplyGradientDescent", [nan], [1.0], 0.1, [1.0]) == "unknown"
