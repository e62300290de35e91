"""`graph`: the operations of a function, or those around a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tensordbg.analysis.graphs.function_graph import Section, function_graph
from tensordbg.analysis.names.graph_choice import choose_part
from tensordbg.console.pages.page import Page
from tensordbg.console.pages.rich_lines import lines_of
from tensordbg.report.graphs.graph import graph_text

if TYPE_CHECKING:
    from tensordbg.console.console import Console

_WIDTH = 160
"""Names are long, and a line that is cut in two is hard to read."""


@click.command("graph", add_help_option=False)
@click.argument("name", metavar="NODE|FUNCTION")
@click.option("-d", "--depth", type=click.IntRange(min=0), default=1, show_default=True, metavar="N", help="Open.")
@click.option("--hops", type=click.IntRange(min=0), default=2, show_default=True, metavar="N", help="So far from NODE.")
@click.pass_obj
def command(console: Console, name: str, depth: int, hops: int) -> Page:
    """Show the graph of a function as Python built it, or the part of it around a node."""
    reader = console.opened.reader
    part = choose_part(reader, name)
    graph = function_graph(reader, part.function, Section(depth=depth, around=part.around, hops=hops))
    title = f"Around {part.around}:" if part.around else f"Graph of {name}:"
    return Page(title, lines_of(graph_text(graph), width=_WIDTH))
