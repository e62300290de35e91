from __future__ import annotations

from tensordbg.report.saved_page.sources import lines_by_file, shortened
from tensordbg.wire.view.source import LineView, SourceView


def frame(file: str, line: int) -> LineView:
    return LineView(file, line, "f", user=True, text="")


def source(lines: int, width: int = 0) -> SourceView:
    text = "\n".join(f"{number}{'x' * width}" for number in range(1, lines + 1))
    return SourceView("a.py", text, changed=False, margins=())


def test_lines_of_all_stacks_the_innermost_first() -> None:
    stacks = [[frame("a.py", 1), frame("b.py", 2)], [frame("a.py", 3)]]
    assert list(lines_by_file(stacks).items()) == [("b.py", {2}), ("a.py", {1, 3})]


def test_own_files_stay_whole() -> None:
    assert shortened(source(1000), True, {500}) == source(1000)


def test_of_others_the_lines_around_keep_their_numbers() -> None:
    lines = shortened(source(1000), False, {500, 10}).text.split("\n")
    assert len(lines) == 1000
    assert lines[:25] == [str(number) for number in range(1, 26)]
    assert lines[25] == "# (lines left out of the saved page)"
    assert set(lines[26:484]) == {""}
    assert lines[484:515] == [str(number) for number in range(485, 516)]


def test_a_very_long_file_of_ones_own_is_shortened() -> None:
    assert len(shortened(source(3000, width=100), True, {500}).text) < 10_000
