from __future__ import annotations

import json

from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.held import held_variables, noted_gradients
from tensordbg.model import GRADIENT_FOR, NONE, TensorRef
from tests.analysis.builder import TraceBuilder


def trace() -> TraceBuilder:
    built = TraceBuilder()
    built.site(NONE, "Parameter", "Parameter", (), {"reads": [3]})
    built.site(NONE, "aten::add_", "aten::add_", (), {"writes": [3]})
    built.site(NONE, "aten::add_", "aten::add_", (), {"writes": [4]})
    return built


def test_a_write_stands_for_what_the_variable_holds() -> None:
    held = held_variables(read_program(trace()))
    assert held.first == {3: 0}
    assert held.writes == {1: 0}, "of variable 4 nothing tells what it held at first"


def test_gradients_are_read_as_they_were_noted() -> None:
    built = trace()
    built.site(NONE, "aten::mm", "aten::mm", (), {"attributes": json.dumps({GRADIENT_FOR: [[0, 3], [1, 4]]})})
    built.site(NONE, "aten::mm", "aten::mm", (), {"attributes": json.dumps({GRADIENT_FOR: [[0, -1], "forged", [1]]})})
    assert noted_gradients(read_program(built)) == {3: (TensorRef(3, 0),), 4: (TensorRef(3, 1),)}
