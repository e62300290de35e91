"""What goes into risky operations is watched: of a graph at once, of eager code by the operand."""

from __future__ import annotations

import pytest

from tensordbg.model import NONE, Site, TensorRef
from tensordbg.recording.first_bad import FirstBadChoice, fatal_operands
from tests.recording.test_value_choice import Rows

ZERO, NEGATIVE, LARGE, BEYOND_ONE = 1, 2, 4, 8


@pytest.mark.parametrize(
    ("framework", "op_type", "expected"),
    [
        ("tensorflow", "Log", {0: ZERO | NEGATIVE}),
        ("tensorflow", "RealDiv", {1: ZERO}),
        ("tensorflow", "Exp", {0: LARGE}),
        ("tensorflow", "Acos", {0: BEYOND_ONE}),
        ("tensorflow", "SqrtGrad", {0: ZERO}),
        ("tensorflow", "MatMul", {}),
        ("torch", "aten::log", {0: ZERO | NEGATIVE}),
        ("torch", "aten::div", {1: ZERO}),
        ("", "Anything", {}),
    ],
)
def test_what_is_fatal_to_which_operand(framework: str, op_type: str, expected: dict[int, int]) -> None:
    assert dict(fatal_operands(framework, op_type)) == expected


def test_makers_in_a_graph_and_operands_of_eager_code() -> None:
    rows, watched, operands = Rows(), [], []
    choice = FirstBadChoice(rows, lambda sites, fatal: watched.append((sites, fatal)), lambda *of: operands.append(of))  # type: ignore[arg-type]
    inputs = (TensorRef(1, 0), TensorRef(2, 0))
    sites = [
        Site(1, "x", "Placeholder", 0, 0, framework="tensorflow"),
        Site(2, "y", "Placeholder", 0, 0, framework="tensorflow"),
        Site(3, "truediv", "RealDiv", 0, 0, inputs, framework="tensorflow"),
        Site(4, "aten::div", "aten::div", NONE, 0, framework="torch"),
        Site(5, "aten::add", "aten::add", NONE, 0, framework="torch"),
    ]
    choice.sites(sites)
    assert watched == [([2], ZERO)]
    assert operands == [(4, 1, ZERO)]
    assert rows.passed == [sites]
