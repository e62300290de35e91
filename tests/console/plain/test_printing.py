from __future__ import annotations

import io
import re

import pytest

from tensordbg.console.pages.page import FixedLines, MadeLines, Page, Span
from tensordbg.console.plain.printing import Printer


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


LONG = Page("many:", MadeLines(10_000_000, lambda begin, end: [(Span(f"line {k}"),) for k in range(begin, end)]))


def test_into_a_pipe_a_page_goes_whole() -> None:
    out = io.StringIO()
    lines = tuple((Span(f"line {k}  "),) for k in range(3000))
    Printer(out, paged=False).show(Page("many:", FixedLines(lines)))
    assert out.getvalue().splitlines() == ["many:", *(f"line {k}" for k in range(3000))]


def test_on_a_terminal_a_screenful_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINES", "14")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    out = io.StringIO()
    printer = Printer(out, paged=True)
    printer.show(LONG)
    assert out.getvalue().endswith("line 9\n--- lines 1 to 10 of 10,000,000; Enter shows more, - goes back ---\n")
    printer.more()
    assert "line 10\n" in out.getvalue()
    printer.less()
    assert out.getvalue().endswith("line 9\n--- lines 1 to 10 of 10,000,000; Enter shows more, - goes back ---\n")


def test_what_was_searched_for_is_shown_with_a_few_lines() -> None:
    out = io.StringIO()
    Printer(out, paged=False).show(Page("", LONG.body, start=77, found=re.compile("77")))
    assert out.getvalue().splitlines()[0] == "line 77"
    assert len(out.getvalue().splitlines()) == 10


def test_colours_are_for_terminals_that_want_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    page = Page("", FixedLines(((Span("nan", "bad"), Span(" and more")),)))
    out = Terminal()
    Printer(out, paged=False).show(page)
    assert out.getvalue() == "\033[1;31mnan\033[0m and more\n"
    monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal()
    Printer(out, paged=False).show(page)
    assert out.getvalue() == "nan and more\n"


def test_long_lines_take_several_rows_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINES", "14")
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    out = io.StringIO()
    wide = tuple((Span("x" * 100),) for _ in range(50))
    Printer(out, paged=True).show(Page("", FixedLines(wide)))
    assert out.getvalue().endswith("--- lines 1 to 3 of 50; Enter shows more, - goes back ---\n")
