from __future__ import annotations

import pytest

from tensordbg.console.language.elementwise import is_elementwise


@pytest.mark.parametrize(
    "expression",
    [
        "zero > 0.5 * size",
        "-min < max <= 3e5",
        "abs(min) > np.maximum(max, np.sqrt(std)) ** 2",
        "not isnan(mean) and step // 2 == np.pi",
    ],
)
def test_arithmetic_of_columns(expression: str) -> None:
    assert is_elementwise(expression)


@pytest.mark.parametrize(
    "expression",
    [
        *("ones(10**9) > min", "np.linalg.svd(min) > 0", "min @ max > 0", "matmul(min, max) > 0", "min[0] > 1"),
        *("[min, max] > 1", "sort(min) > 1", "add(min, max, dtype=1) > 0", "f(min) > 1", "1 +", "(" * 5000),
    ],
)
def test_what_may_take_anything(expression: str) -> None:
    assert not is_elementwise(expression)
