"""Divisors that shrank: told before what grew for them."""

from __future__ import annotations

import pytest

from tensordbg.analysis.causes.case import Growth, ShrunkDivisor
from tests.analysis.causes.cases import inf, verdict

SHRUNK = ShrunkDivisor("t", (1e-17, 1e-18, 1e-19, 1e-20), "step", "line 3 of train.py, `z / t`", True, False)
GROWTH = Growth("x0:0", (1e16, 1e17, 1e18, 1e19), "step")


def test_it_comes_before_the_growth_of_what_is_divided() -> None:
    said = verdict("RealDiv", [inf], [1e19], [1e-20], growth=GROWTH, shrunk=SHRUNK)
    assert said.cause == "shrinking_divisor"
    assert said.explanation == (
        "The divisor t shrank step by step: 1e-17, 1e-18, 1e-19, 1e-20 (line 3 of train.py, `z / t`). What is divided "
        "by it grew as it shrank; in the end the result was beyond 3.403e38, the largest number of float32."
    )
    assert said.suggestion.startswith("Keep t away from 0")


@pytest.mark.parametrize(("op_type", "given"), [("Mul", [1e30]), ("Exp", [1e3])])
def test_it_may_lie_before_the_operation(op_type: str, given: list[float]) -> None:
    inputs = [given] * (1 + (op_type == "Mul"))
    assert verdict(op_type, [inf], *inputs, shrunk=SHRUNK).cause == "shrinking_divisor"


def test_a_divisor_that_has_become_0_is_a_division_by_0() -> None:
    shrunk = ShrunkDivisor("Exp:0", (1e-36, 1e-37, 1e-38, 0.0), "step", "", False, True)
    said = verdict("RealDiv", [inf], [1.0], [0.0], shrunk=shrunk)
    assert said.cause == "division_by_zero"
    assert said.explanation.endswith("The divisor Exp:0 shrank step by step: 1e-36, 1e-37, 1e-38, 0.")
    assert said.suggestion.startswith("Bound what the exponential is taken of")
