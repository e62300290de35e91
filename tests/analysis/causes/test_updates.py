"""An optimizer's update in one operation: what its gradient and its epsilon tell of it."""

from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.causes.table import judge
from tests.analysis.causes.cases import case, cause, inf, nan, view

ADAGRAD_V2 = (-1, 2, 3, 4)
"""The old value, the learning rate, the epsilon and the gradient."""


def test_an_epsilon_of_zero() -> None:
    given = ([1.0], [0.1], [0.0], [0.0])
    one = case("ResourceApplyAdagradV2", [nan], *given, dtype="float16", written=True, positions=ADAGRAD_V2)
    said = judge(one)
    assert said.cause == "division_by_zero"
    assert "The epsilon of this ResourceApplyAdagradV2, x2:0, is 0 in float16" in said.explanation


def test_an_epsilon_above_zero() -> None:
    given = ([1.0], [0.1], [1e-3], [0.0])
    assert cause("ResourceApplyAdagradV2", [nan], *given, written=True, positions=ADAGRAD_V2) == "arithmetic_overflow"


def test_a_gradient_of_the_past() -> None:
    given = ([1.0], [0.1], [1e-3], [1.0])
    one = case("ResourceApplyAdagradV2", [nan], *given, written=True, positions=ADAGRAD_V2)
    past = ((), (), (), (view("x3:0", [2.0]), view("x3:0", [1e25]), view("x3:0", [1.0])))
    assert "went up to 1e25" in judge(replace(one, pasts=past)).explanation
    assert "went up" not in judge(replace(one, pasts=((), (), (), past[3][:1]))).explanation


def test_an_update_that_squares_nothing() -> None:
    one = case("ResourceApplyGradientDescent", [inf], [1.0], [0.1], [1e25], written=True, positions=(-1, 1, 2))
    assert "square" not in judge(one).explanation
