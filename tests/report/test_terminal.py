from __future__ import annotations

import io

from rich.table import Table
from rich.text import Text

from tensordbg.report.terminal import PlainConsole


def printed(*parts: object, **options: object) -> str:
    stream = io.StringIO()
    PlainConsole(stream, 40, **options).print(*parts)
    return stream.getvalue()


def test_names_are_shown_as_they_are() -> None:
    assert printed("[bold]x[/bold] :smile: \x1b[31m") == "[bold]x[/bold] :smile: \\x1b[31m\n"


def test_cells_of_tables_too() -> None:
    table = Table("name")
    table.add_row(Text("a\x9bb\u202e"))
    said = printed(table)
    assert "a\\x9bb\\u202e" in said
    assert "\x9b" not in said


def test_our_own_colours_stay() -> None:
    assert printed(Text("bad", "red"), force_terminal=True, color_system="standard") == "\x1b[31mbad\x1b[0m\n"
