"""Bounds of what arithmetic can make of its inputs."""

from __future__ import annotations

import math

import pytest

from tensordbg.analysis.causes.magnitudes import bound, exponential_limit, is_arithmetic
from tests.analysis.causes.cases import case


@pytest.mark.parametrize(
    ("op_type", "inputs", "expected"),
    [
        ("Mul", [[3.0, -4.0], [5.0, 1.0]], 20.0),
        ("AddV2", [[3.0], [5.0]], 10.0),
        ("Sum", [[3.0] * 10, [0]], 30.0),
        ("Square", [[3.0]], 36.0),
        ("MatMul", [[[2.0, 2.0]], [[3.0], [3.0]]], 12.0),
        ("Pow", [[2.0], [10.0]], 1024.0),
        ("Prod", [[2.0] * 5, [0]], 32.0),
        ("Pow", [[1e300], [1e300]], math.inf),
    ],
)
def test_bound(op_type: str, inputs: list[list[float]], expected: float) -> None:
    one = case(op_type, [math.inf], *inputs)
    assert is_arithmetic(one)
    assert bound(one) == pytest.approx(expected)


def test_exponential_limit() -> None:
    assert exponential_limit("float32") == pytest.approx(88.7228, abs=1e-3)
    assert exponential_limit("float16") == pytest.approx(11.0899, abs=1e-3)
    assert exponential_limit("float64") == pytest.approx(709.78, abs=1e-2)
