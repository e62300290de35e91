"""Roots, powers and inverse functions outside of their domain."""

from __future__ import annotations

import pytest

from tests.analysis.causes.cases import cause, inf, nan, verdict


def test_root_of_negative() -> None:
    said = verdict("Sqrt", [nan, 1.0], [-1e-8, 1.0])
    assert said.cause == "root_of_negative"
    assert said.explanation.startswith("x0:0: 1 of its 2 elements is negative, down to -1e-8;")


def test_function_domain_gives_the_range() -> None:
    said = verdict("Acos", [nan, 0.0], [1.0000001, 0.5])
    assert said.cause == "function_domain"
    assert "x0:0 runs from 0.5 to 1;" in said.explanation
    assert "from -1 to 1" in said.explanation


@pytest.mark.parametrize(
    ("op_type", "output", "inputs", "expected"),
    [
        ("Rsqrt", [nan], [[-1.0]], "root_of_negative"),
        ("Sqrt", [nan], [[1.0]], "unknown"),
        ("Sqrt", [nan], [None], "root_of_negative"),
        ("Pow", [nan], [[-2.0], [0.5]], "pow_domain"),
        ("Pow", [inf], [[0.0], [-1.0]], "pow_domain"),
        ("Pow", [inf], [[2.0], [-1.0]], "unknown"),
        ("Pow", [nan], [[2.0], [0.5]], "unknown"),
        ("Pow", [nan], [None, [0.5]], "pow_domain"),
        ("Atanh", [inf], [[1.0]], "function_domain"),
        ("Acos", [nan], [[1.0]], "unknown"),
        ("Acosh", [nan], [[0.5]], "function_domain"),
        ("Acosh", [nan], [[1.5]], "unknown"),
        ("Lgamma", [inf], [[-3.0, 2.0]], "function_domain"),
        ("Erfinv", [inf], [[1.0]], "function_domain"),
        ("Ndtri", [inf], [[0.0]], "function_domain"),
        ("Digamma", [nan], [[0.0]], "function_domain"),
        ("Asin", [nan], [None], "function_domain"),
    ],
)
def test_which(op_type: str, output: list[float], inputs: list[list[float]], expected: str) -> None:
    assert cause(op_type, output, *inputs) == expected


def test_a_whole_line_is_not_clipped_to_an_interval() -> None:
    assert "tf.maximum(x, 1 + 1e-7)" in verdict("Acosh", [nan], [0.5]).suggestion
    assert "tf.clip_by_value(x, -1 + 1e-6, 1 - 1e-6)" in verdict("Acos", [nan], [2.0]).suggestion
