"""How many elements count: labels of a cross-entropy, rows of a deviation."""

from __future__ import annotations

from typing import Any

import pytest

from tensordbg.analysis.finding import Verdict
from tensordbg.operations.frameworks import TORCH
from tests.analysis.causes import cases

nan = cases.nan


def verdict(op_type: str, output: Any, *inputs: Any, **fields: Any) -> Verdict:
    return cases.verdict(op_type, output, *inputs, framework=TORCH, **fields)


def cause(op_type: str, output: Any, *inputs: Any) -> str:
    return verdict(op_type, output, *inputs).cause


def test_every_label_is_ignored() -> None:
    said = verdict("aten::nll_loss_forward", nan, [[-1.0, -0.5]] * 4, [-100.0] * 4, dtype1="int64")
    assert said.cause == "no_label_counts"
    assert said.explanation.startswith("x1:0: all 4 labels are -100, which is ignored")
    assert "F.cross_entropy" in said.suggestion


def test_one_label() -> None:
    said = verdict("aten::nll_loss_forward", nan, [[-1.0, -0.5]], [-1.0], dtype1="int64")
    assert "its only label is -1" in said.explanation


def test_labels_that_differ_or_are_not_known() -> None:
    both = verdict("aten::nll_loss_forward", nan, [[-1.0, -0.5]] * 2, [-100.0, 1.0], dtype1="int64")
    assert both.explanation.startswith("None of the labels in x1:0 counts")
    assert verdict("aten::nll_loss_forward", nan, [[-1.0, -0.5]], None).explanation.startswith("No label counts")


@pytest.mark.parametrize("op_type", ["aten::std", "aten::var", "aten::var_mean"])
def test_a_deviation_of_one_row(op_type: str) -> None:
    said = verdict(op_type, [nan, nan], [[1.0, 2.0]])
    assert said.cause == "deviation_of_one"
    assert "(shape [1, 2]) has a single element" in said.explanation


def test_a_deviation_of_nothing_is_another_matter() -> None:
    assert cause("aten::std", nan, []) == "reduction_of_nothing"


def test_a_deviation_of_infinities_is_another_matter() -> None:
    assert cause("aten::std", [nan], [[float("inf")]]) != "deviation_of_one"


def test_a_deviation_of_one_row_of_many() -> None:
    said = verdict("aten::std", [nan, nan], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert said.cause == "deviation_of_one"
    assert said.explanation.startswith("What is taken of x0:0 has a single element")


def test_a_deviation_of_numbers_whose_squares_overflow_is_another_matter() -> None:
    assert cause("aten::std", [nan], [[1e30], [-1e30]]) != "deviation_of_one"
