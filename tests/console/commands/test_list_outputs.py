from __future__ import annotations

from tensordbg.console.console import Console
from tests.console.recorded import answer, text


def test_what_was_computed_from_a_node_is_listed(standing: Console) -> None:
    said = answer(standing, "lo Softmax")
    assert said[0] == 'Recipients of node "Softmax" (Depth limit = 1):'
    assert any("(1) [Log] Log " in line for line in said)
    assert any("(1) [Reciprocal] gradient_tape/Reciprocal" in line for line in said)


def test_each_node_is_opened_once(standing: Console) -> None:
    said = text(standing, "lo -r Softmax")
    assert "(above)" in said
    assert said.count("[ReluGrad] gradient_tape/ReluGrad") >= 1


def test_what_nothing_is_computed_from_is_said_so(standing: Console) -> None:
    assert "  (none)" in answer(standing, "lo AssignSubVariableOp")
