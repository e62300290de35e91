from __future__ import annotations

from pathlib import Path

from tensordbg.console.console import Console
from tensordbg.console.running import Stop, StopKind
from tests.console.recorded import answer, still, text


def test_the_trace_and_its_runs_are_told_of(console: Console) -> None:
    said = answer(console, "ri")
    assert said[0] == f"trace: 4 runs, {console.opened.event_count} tensors"
    assert any(line.startswith("Program: ended with exit code 0; Python 3.") for line in said)
    rows = said[said.index("Runs:") + 2 :]
    assert [row.split()[0] for row in rows] == ["1", "2", "3", "4"]
    assert all(row.endswith("train_step") for row in rows)
    page = console.answer("ri").page
    assert page is not None
    assert page.lines(len(page) - 1, len(page))[0][0].command == "lt -x 4"


def test_of_one_run_what_it_took_and_returned(console: Console) -> None:
    said = answer(console, "ri -x 2")
    assert said[0] == "run #2: train_step"
    assert said[said.index("Fetch(es):") + 1].strip() == "Neg:0"
    assert [line.strip() for line in said[said.index("Feed(s):") + 1 :]] == ["x:0", "y:0"]


def test_several_runs_are_listed(console: Console) -> None:
    assert answer(console, "ri -x 2..3")[0] == "2 runs:"


def test_where_a_program_stands_is_said_first(trained: Path) -> None:
    stop = Stop(StopKind.BEFORE, 3, "train_step(x, y)", reason="the line train.py:12")
    said = text(still(trained, 2, stop), "ri")
    assert said.startswith("run-start: run #3: train_step(x, y)\nthe line train.py:12\n")
