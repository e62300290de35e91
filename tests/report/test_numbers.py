from __future__ import annotations

import math

import pytest

from tensordbg.report.numbers import ABSENT, amount, count, count_or_blank, short


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (-0.5, "-0.5"),
        (1 / 3, "0.3333"),
        (3.4e38, "3.4e+38"),
        (math.nan, ABSENT),
        (None, ABSENT),
    ],
)
def test_short(value: float | None, text: str) -> None:
    assert short(value) == text


def test_count_has_its_thousands_apart() -> None:
    assert count(1234567) == "1,234,567"


def test_zero_may_be_blank() -> None:
    assert (count_or_blank(0), count_or_blank(5)) == ("", "5")


def test_amount_has_its_plural() -> None:
    assert [amount(number, "step") for number in (0, 1, 2000)] == ["0 steps", "1 step", "2,000 steps"]
