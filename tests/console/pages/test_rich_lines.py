from __future__ import annotations

from rich.table import Table
from rich.text import Text

from tensordbg.console.pages.page import Span, plain
from tensordbg.console.pages.rich_lines import lines_of


def test_styles_become_words() -> None:
    text = Text.assemble(
        ("bad", "bold red"), " ", ("dim", "dim"), " ", ("bold", "bold"), " ", ("marked", "bold reverse")
    )
    (line,) = lines_of(text).all_lines
    assert [span for span in line if span.text.strip()] == [
        Span("bad", "bad"), Span("dim", "dim"), Span("bold", "bold"), Span("marked", "highlight"),
    ]  # fmt: skip


def test_tables_and_long_lines_are_set() -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("a")
    table.add_column("b")
    table.add_row("x", "[not markup]")
    assert [plain(line) for line in lines_of(table).all_lines] == ["a  b", "x  [not markup]"]
    assert len(lines_of(Text("word " * 40), width=100).all_lines) == 2
    assert lines_of(Text("")).all_lines == ((),)
