"""Logarithms: told by what went in, with the numbers of that input."""

from __future__ import annotations

import pytest

from tensordbg.analysis.causes.table import judge
from tests.analysis.causes.cases import case, cause, inf, made_by, nan, verdict


def test_log_of_zero_counts_the_zeros() -> None:
    said = verdict("Log", [[-inf, 0.0], [0.7, -inf]], [[0.0, 1.0], [2.0, 0.0]])
    assert said.cause == "log_of_zero"
    assert said.explanation == "x0:0: 2 of its 4 elements are 0; log(0) is -inf."


def test_a_subnormal_number_counts_as_zero() -> None:
    said = verdict("Log", [-inf, 0.0], [1e-40, 1.0])
    assert said.cause == "log_of_zero"
    assert "1 of its 2 elements is smaller than 1.175e-38" in said.explanation


def test_a_subnormal_half_does_not_count_as_zero() -> None:
    assert cause("Log", [-inf], [1e-40], dtype="float16") == "unknown"


def test_log_of_negative_tells_how_far_below() -> None:
    said = verdict("Log", [nan, -inf, 0.0], [-2.5, 0.0, 1.0])
    assert said.cause == "log_of_negative"
    assert "1 of its 3 elements is negative, down to -2.5 (1 is 0)" in said.explanation


@pytest.mark.parametrize(
    ("op_type", "output", "inputs", "expected"),
    [
        ("Log1p", [-inf, 0.0], [[-1.0, 0.0]], "log_of_zero"),
        ("Log1p", [nan, 0.0], [[-1.5, 0.0]], "log_of_negative"),
        ("Log1p", [nan, 0.0], [[-0.5, 0.0]], "unknown"),
        ("Xlogy", [-inf], [[1.0], [0.0]], "log_of_zero"),
        ("Xlogy", [nan], [[1.0], [-1.0]], "log_of_negative"),
        ("Xlogy", [nan], [[-1.0], [1.0]], "unknown"),
        ("Xlog1py", [-inf], [[1.0], [-1.0]], "log_of_zero"),
        ("Log", [-inf], [None], "log_of_zero"),
        ("Log", [nan], [None], "log_of_negative"),
        ("Log", [nan], [[2.0]], "unknown"),
        ("Log", [-inf], [[2.0]], "unknown"),
    ],
)
def test_which(op_type: str, output: list[float], inputs: list[list[float]], expected: str) -> None:
    assert cause(op_type, output, *inputs) == expected


@pytest.mark.parametrize(
    ("maker", "fix"),
    [
        ("Softmax", "tf.nn.softmax_cross_entropy_with_logits(labels, logits)"),
        ("Sigmoid", "tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)"),
        ("RealDiv", "tf.nn.softmax_cross_entropy_with_logits(labels, logits)"),
        ("Relu", "tf.math.log(tf.maximum(x, 1e-7))"),
    ],
)
def test_the_fix_depends_on_what_made_the_input(maker: str, fix: str) -> None:
    assert fix in judge(made_by(case("Log", [-inf], [0.0]), "Reshape", maker)).suggestion
