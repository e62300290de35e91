from __future__ import annotations

from pathlib import Path

from tensordbg.console.console import Console
from tests.console.recorded import answer, program_of


def test_the_own_files_come_with_their_counts(console: Console, trained: Path) -> None:
    said = answer(console, "ls")
    assert said[1] == "Your own files:"
    row = said[3].split()
    assert row[0] == str(program_of(trained))
    assert int(row[2]) == console.opened.event_count
    assert "Files of libraries, on the way to your lines:" in said
    assert any(line.rstrip().endswith("traceback_utils.py") for line in said)
    page = console.answer("ls").page
    assert page is not None
    assert page.lines(2, 3)[0][0].command == f"ps {program_of(trained)}"


def test_files_and_nodes_can_be_chosen(console: Console) -> None:
    assert answer(console, "ls -p elsewhere") == ["No source file fits."]
    logs = answer(console, "ls -n Log$")[3].split()
    assert logs[1:4] == ["1", "4", "3"]
