"""Sums of finite numbers that only their factor makes bad."""

from __future__ import annotations

import pytest

from tests.analysis.causes.cases import cause, inf, nan, verdict


@pytest.mark.parametrize(
    ("made", "said"), [([inf, -inf], "not finite, or larger than 1.701e+38"), ([nan, nan], "is NaN")]
)
def test_a_learning_rate_that_is_not_finite(made: list[float], said: str) -> None:
    found = verdict("aten::add_", made, [1.0, 0.5], [2.0, -1.0], framework="torch")
    assert found.cause == "factor_not_finite"
    assert said.replace("e+", "e") in found.explanation.replace("e+", "e")
    assert "param_groups" in found.suggestion


def test_what_may_have_overflowed_did() -> None:
    assert cause("aten::add", [inf], [3e38], [3e38], framework="torch") == "arithmetic_overflow"


def test_what_was_not_recorded_may_be_bad_itself() -> None:
    assert cause("aten::add_", [nan], [1.0], None, framework="torch") == "unknown"


def test_sums_of_tensorflow_have_no_factor() -> None:
    assert cause("AddV2", [nan], [1.0], [1.0]) == "unknown"
