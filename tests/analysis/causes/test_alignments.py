"""Losses of sequences that can't hold their labels."""

from __future__ import annotations

import pytest

from tests.analysis.causes.cases import cause, inf, verdict


@pytest.mark.parametrize(("framework", "op_type"), [("torch", "aten::_ctc_loss"), ("tensorflow", "CTCLoss")])
def test_a_sequence_shorter_than_its_labels(framework: str, op_type: str) -> None:
    given = [[[-1.0, -2.0]] * 2, [[-0.5, -1.5]] * 2, [[-1.0, -1.0]] * 2]
    said = verdict(op_type, [1.5, inf], given, framework=framework)
    assert said.cause == "impossible_alignment"
    assert said.explanation.startswith("x0:0 has 3 positions, and 1 of the 2 sequences can't hold their labels")
    assert ("zero_infinity" in said.suggestion) == (framework == "torch")


def test_of_what_is_seen_through_a_transposition_no_positions_are_told() -> None:
    given = [[[-1.0, -2.0]] * 3] * 2
    explanation = verdict("aten::_ctc_loss", [1.5, inf], given, framework="torch").explanation
    assert explanation.startswith("x0:0 is finite, and 1 of the 2 sequences can't hold their labels")


def test_probabilities_of_zero_are_another_matter() -> None:
    assert cause("aten::_ctc_loss", [inf], [[[-inf, 0.0]]], framework="torch") != "impossible_alignment"
