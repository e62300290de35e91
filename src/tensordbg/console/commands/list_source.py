"""`list_source` (`ls`): the source files whose lines made nodes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from tensordbg.console.options import PATTERN
from tensordbg.console.pages.page import JoinedLines, Lines, Page, Span
from tensordbg.console.pages.texts import table_lines, text_lines, word
from tensordbg.report.numbers import count

if TYPE_CHECKING:
    from tensordbg.analysis.view.records.sites import SiteNames
    from tensordbg.console.console import Console


@click.command("list_source", add_help_option=False)
@click.option("-p", "--path_filter", "path", type=PATTERN, help="Only files whose path holds this.")
@click.option("-n", "--node_name_filter", "node_name", type=PATTERN, help="Only count nodes with such names.")
@click.pass_obj
def command(console: Console, path: re.Pattern[str] | None, node_name: re.Pattern[str] | None) -> Page:
    """List the source files whose lines made nodes, your own first, with how many nodes and tensors."""
    opened = console.opened
    made: dict[str, list[SiteNames]] = {}
    for names in opened.sites.values():
        if names.source is not None and (node_name is None or node_name.match(names.site.name)):
            made.setdefault(names.source.file, []).append(names)
    own = {frame.file: frame.user for frames in opened.program.stacks.values() for frame in frames}
    # Files of libraries stand in the stacks, but what they made is counted to the user's line that called them.
    files = [file for file in opened.program.sources if path is None or path.search(file)]
    parts: list[Lines] = []
    for title, user in (("Your own files:", True), ("Files of libraries, on the way to your lines:", False)):
        rows = [_row(console, file, made.get(file, [])) for file in files if own.get(file, False) == user]
        rows = [row for row in rows if row[1].text or node_name is None]
        if rows:
            heads = ("source file", "#(nodes)", "#(tensors)", "not finite", "first line")
            rows.sort(key=lambda row: row[0].text)
            parts += [text_lines(title, style="heading"), table_lines(heads, rows, right=(1, 2, 3, 4)), text_lines("")]
    return Page("List of source files:" if parts else "No source file fits.", JoinedLines(tuple(parts)))


def _row(console: Console, file: str, made: Sequence[SiteNames]) -> list[Span]:
    name = Span(file, "link", f"ps {word(file)}")
    if not made:
        return [name, *[Span("")] * 4]
    counts = console.opened.site_counts
    numbers = [names.site.site for names in made]
    first = min(names.source.line for names in made if names.source is not None)
    bad = int(counts.bad[numbers].sum())
    return [
        name,
        Span(count(len(numbers))),
        Span(count(int(counts.events[numbers].sum()))),
        Span(count(bad), "bad" if bad else ""),
        Span(str(first)),
    ]
