"""`why`: where and why the numbers went wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tensordbg.console.language.findings import findings_of
from tensordbg.console.pages.page import FixedLines, JoinedLines, Line, Page, Place, Span
from tensordbg.console.pages.rich_lines import lines_of
from tensordbg.console.pages.texts import word
from tensordbg.report.findings.why_text import why_text

if TYPE_CHECKING:
    from tensordbg.console.console import Console


@click.command("why", add_help_option=False)
@click.pass_obj
def command(console: Console) -> Page:
    """Say where and why the numbers went wrong, as `tdbg why`, over the whole trace."""
    everything = findings_of(console.opened)
    result = everything.result
    links: list[Line] = []
    for found in everything.found:
        if found.kind == "origin" and found.row is not None:
            name = found.row.op_name
            links.append((
                Span("look at  ", "dim"),
                Span(found.row.tensor, "link", f"pt {word(found.row.tensor)} -e {found.row.event}"),
                Span("  its inputs: ", "dim"),
                Span(name, "link", f"li {word(name)} -x all"),
            ))  # fmt: skip
    body = JoinedLines((lines_of(why_text(result)), FixedLines(((), *links) if links else ())))
    first = result.origins[0] if result.origins else None
    place = None if first is None or first.source is None else Place(first.source.file, first.source.line)
    return Page(
        "", body, mood="bad" if first is not None and first.consequential else "",
        event=None if first is None else first.view.event, place=place,
    )  # fmt: skip
