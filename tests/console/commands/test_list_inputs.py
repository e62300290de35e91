from __future__ import annotations

from pathlib import Path

from tensordbg.console.console import Console
from tests.console.recorded import answer, console_on, text


def test_the_inputs_are_listed_with_how_they_fared(standing: Console) -> None:
    title, first, *_ = answer(standing, "li Log")
    assert title == 'Inputs to node "Log" (Depth limit = 1):'
    assert first.startswith("|- (1) [Softmax] Softmax:0   float32[32, 4] ")
    assert "zero of 128" in first
    page = standing.answer("li Log").page
    assert page is not None
    commands = [span.command for span in page.lines(0, 1)[0] if span.command]
    assert commands[0] == "ni Softmax"
    assert "Softmax:0" in text(standing, commands[1])


def test_the_walk_goes_on_to_what_came_in(standing: Console) -> None:
    said = text(standing, "li -r Log")
    assert "(Depth limit = 20)" in said
    for each in ("(2) [Relu] Relu:0", "(3) [MatMul] ", "(4) [Placeholder] x:0"):
        assert each in said
    assert "(3)" not in text(standing, "li -r -d 2 Log")


def test_control_inputs_come_from_the_kept_graphs(standing: Console, sample: Path) -> None:
    assert "(Ctrl)" not in text(standing, "li AssignSubVariableOp").splitlines()[1]
    assert "control inputs included" in text(standing, "li -c AssignSubVariableOp")
    assert "not known" not in text(standing, "li -c AssignSubVariableOp")
    assert "Control inputs are not known: record with --graphs to have them." in text(console_on(sample), "li -c Log")


def test_what_is_waited_for_is_marked(standing: Console) -> None:
    assert "|- (1) (Ctrl) [" in text(standing, "li -c Identity")
