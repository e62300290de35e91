"""`graph`: the operations of a function, or those around a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tensordbg.analysis.function_choice import choose_function
from tensordbg.analysis.function_graph import Section, function_graph
from tensordbg.console.page import Page
from tensordbg.console.rich_lines import lines_of
from tensordbg.console.tensors import find_nodes, parse_tensor, unknown_node
from tensordbg.errors import AbsentError, UsageError
from tensordbg.model import NONE
from tensordbg.report.graph import graph_text

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
    opened = console.opened
    sites = find_nodes(opened, parse_tensor(name).node)
    site = next((opened.site(each).site for each in sites if opened.site(each).site.function != NONE), None)
    if site is not None:
        section = Section(depth=depth, around=site.name, hops=hops)
        graph = function_graph(opened.reader, str(site.function), section)
        return Page(f"Around {site.name}:", lines_of(graph_text(graph), width=_WIDTH))
    try:
        choose_function(opened, opened.program, name)
    except UsageError as error:
        if sites:
            message = f"{name!r} is an eager operation, which has no graph; `li` and `lo` show what is around it"
            raise UsageError(message) from None
        raise AbsentError(f"{unknown_node(opened, name)}; and {error}") from None
    graph = function_graph(opened.reader, name, Section(depth=depth))
    return Page(f"Graph of {name}:", lines_of(graph_text(graph), width=_WIDTH))
