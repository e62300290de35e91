"""Infinities that the program wrote down, where they become NaN."""

from __future__ import annotations

import pytest

from tensordbg.operations.lookup import operation
from tensordbg.operations.tensorflow import TABLE
from tensordbg.operations.traits import Trait
from tests.analysis.causes.cases import cause, inf, nan, verdict


def test_a_row_that_is_masked_throughout() -> None:
    said = verdict("Softmax", [[nan, nan], [1.0, 0.0]], [[-inf, -inf], [0.0, -inf]])
    assert said.cause == "fully_masked_softmax"
    assert said.explanation.startswith("3 of the 4 elements of x0:0 are -inf, and at least one row of 2 holds nothing")


@pytest.mark.parametrize(
    ("op_type", "inputs", "expected"),
    [
        ("Mul", [[inf], [0.0]], "zero_times_inf"),
        ("Mul", [[0.0], [-inf]], "zero_times_inf"),
        ("MatMul", [[[inf, 1.0]], [[0.0], [1.0]]], "zero_times_inf"),
        ("MatMul", [[[inf, inf]], [[1.0], [-1.0]]], "inf_minus_inf"),
        ("RealDiv", [[inf], [inf]], "zero_times_inf"),
        ("Sub", [[inf], [inf]], "inf_minus_inf"),
        ("AddV2", [[inf], [-inf]], "inf_minus_inf"),
        ("Sum", [[inf, -inf], [0]], "inf_minus_inf"),
        ("Softmax", [[inf, 0.0]], "inf_minus_inf"),
        ("Sub", [[1.0], [2.0]], "unknown"),
        ("Mul", [[1.0], [0.0]], "unknown"),
    ],
)
def test_which(op_type: str, inputs: list[list[float]], expected: str) -> None:
    assert cause(op_type, [nan], *inputs) == expected


def test_numbers_of_the_explanation() -> None:
    assert verdict("Mul", [nan, 1.0], [inf, 1.0], [0.0, 1.0]).explanation == (
        "x0:0 holds 1 infinity, x1:0 holds 1 zero; 0 * infinity is NaN."
    )
    assert "x0:0 holds 1 +inf; x1:0 holds 1 +inf;" in verdict("Sub", [nan], [inf], [inf]).explanation


def types_with(trait: Trait) -> list[str]:
    """All types of the table with a trait, and the beginnings that give it."""
    beginnings = TABLE.trait_beginnings.get(trait, ())
    return sorted(name for name in (*TABLE.types(), *beginnings) if operation("tensorflow", name).has(trait))


@pytest.mark.parametrize("op_type", [*types_with(Trait.ADDS), *types_with(Trait.CONTRACTS)])
def test_infinities_meet_in_whatever_adds(op_type: str) -> None:
    assert cause(op_type, [nan], [inf, -inf], [1.0, 1.0]) in ("inf_minus_inf", "zero_times_inf")


@pytest.mark.parametrize("op_type", types_with(Trait.MULTIPLIES))
def test_an_infinity_meets_a_zero_in_whatever_multiplies(op_type: str) -> None:
    expected = ("pow_domain", "zero_times_inf") if op_type == "Pow" else ("zero_times_inf",)
    assert cause(op_type, [nan], [inf], [0.0]) in expected
