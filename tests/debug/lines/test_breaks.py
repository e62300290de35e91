"""Breakpoints at lines are found by file and line, with the statement that stands there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.console.running import BreakKind, Breakpoint
from tensordbg.debug.lines.breaks import LineBreaks, is_file
from tensordbg.errors import UsageError
from tensordbg.model import Frame


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "train.py"
    path.write_text("a = f(\n  1)\nloss = g(a)\n")
    return str(path)


def line(text: str, condition: str = "") -> Breakpoint:
    return Breakpoint(BreakKind.LINE, text, condition)


def test_a_breakpoint_holds_for_all_lines_of_its_statement(program: str) -> None:
    breaks = LineBreaks()
    breaks.add(1, line(f"{program}:2"))
    breaks.add(2, line("train.py:3", "loss > 1"))
    assert [each.number for each in breaks.at(program, 1)] == [1]
    (second,) = breaks.at(program, 3)
    assert second.words == "breakpoint 2 (line train.py:3 if loss > 1)" and second.is_behind
    assert breaks.at("/other/rain.py", 3) == ()
    version = breaks.version
    breaks.remove(2)
    assert breaks.at(program, 3) == () and breaks.version > version


def test_the_innermost_frame_counts(program: str) -> None:
    breaks = LineBreaks()
    breaks.add(1, line(f"{program}:1"))
    outer, inner = (Frame(program, 1, "main", True), Frame("/lib/keras.py", 9, "call", False))
    assert breaks.depth((outer, outer, inner)) == 1
    assert breaks.depth((inner,)) is None


def test_a_condition_that_cannot_be_told_stops(program: str) -> None:
    def unknown(name: str) -> object:
        raise UsageError(f"there is no {name!r}")

    breaks = LineBreaks()
    breaks.add(1, line(f"{program}:3", "n > 1"))
    (one,) = breaks.at(program, 3)
    assert not one.is_behind
    assert one.reason(unknown).endswith(": there is no 'n'")
    assert one.reason(lambda _: 2) == one.words
    assert one.reason(lambda _: 1) == ""


def test_a_file_is_named_by_its_end() -> None:
    assert is_file("/a/b/train.py", "train.py") and is_file("/a/b/train.py", "b/train.py")
    assert not is_file("/a/b/train.py", "rain.py")


def test_one_that_was_never_met_is_told_with_the_line_to_take(tmp_path: Path, program: str) -> None:
    rows = tmp_path / "rows.py"
    rows.write_text("def rows():\n    for k in range(3):\n        yield f(k)\n")
    breaks = LineBreaks()
    for number, text in enumerate((f"{rows}:2", f"{program}:3", f"{program}:1"), start=1):
        breaks.add(number, line(text))
    (met,) = breaks.at(program, 1)
    assert met.reason(lambda name: name)
    loop, other = breaks.unseen()
    assert loop == (
        f"breakpoint 1 (line {rows}:2) was never met: the line of a loop that Python runs computes nothing itself, and "
        "its iterations are not seen where no operation runs in them, or while a function is traced; set one at a line "
        "in the loop, such as rows.py:3, or use --pdb rows.py:2, which stops at any line"
    )
    assert other == (
        f"breakpoint 2 (line {program}:3) was never met: no operation was made or run at that line; set one at a line "
        f"that computes, or use --pdb {Path(program).name}:3, which stops at any line"
    )
