"""Matrices without inverse, root or logarithm."""

from __future__ import annotations

from tests.analysis.causes.cases import cause, inf, nan, verdict


def test_a_singular_matrix() -> None:
    said = verdict("LogMatrixDeterminant", [-inf], [[1.0, 2.0], [2.0, 4.0]])
    assert said.cause == "singular_matrix"
    assert said.explanation.startswith("x0:0 (shape [2, 2]) is finite, with numbers from 1 to 4;")
    assert "tf.eye" in said.suggestion


def test_a_matrix_of_zeros() -> None:
    assert "is 0 throughout" in verdict("MatrixTriangularSolve", [nan], [[0.0, 0.0], [0.0, 0.0]], [[1.0]]).explanation


def test_infinities_in_a_matrix_are_another_matter() -> None:
    assert cause("MatrixTriangularSolve", [nan], [[inf, 0.0], [0.0, inf]], [[1.0]]) == "function_domain"
