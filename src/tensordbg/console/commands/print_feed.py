"""`print_feed` (`pf`): what was fed to a run: the arguments of the function, the feeds of a session."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from tensordbg.console.language.ranges import parse_ranges
from tensordbg.console.names.node_lines import health_span
from tensordbg.console.names.run_parts import RunParts, parts_of_run
from tensordbg.console.names.tensors import parse_tensor
from tensordbg.console.options import all_option, run_option, write_option
from tensordbg.console.pages.page import FixedLines, Line, Page, Span
from tensordbg.console.pages.tensor_page import Look, tensor_page
from tensordbg.console.pages.texts import word
from tensordbg.errors import AbsentError

if TYPE_CHECKING:
    from tensordbg.console.console import Console


@click.command("print_feed", add_help_option=False)
@click.argument("name", metavar="[NAME[SLICE]]", default="")
@click.option("-r", "--ranges", default="", metavar="RANGES", help="Highlight elements, as for `pt`.")
@all_option
@click.option("-s", "--numeric_summary", "summary", is_flag=True, help="Count the elements by sign, tell their extent.")
@write_option
@run_option
@click.pass_obj
def command(console: Console, /, name: str, run: str, ranges: str, **options: Any) -> Page:
    """Show a tensor that was fed to the run; without a name list them all."""
    scope = console.scope(run)
    parts = parts_of_run(console.opened, console.runs, scope.runs[-1] if scope.runs else None)
    if not name:
        lines = tuple(_line(console, parts, fed, event) for fed, event in parts.feeds)
        return Page(f"{len(lines)} feed(s) of run #{parts.number}: {parts.name}", FixedLines(lines))
    typed = parse_tensor(name)
    event = _event(parts, typed.node, typed.text)
    look = Look(
        part=typed.part,
        intervals=parse_ranges(ranges),
        everything=options["everything"],
        summary=options["summary"],
        write=options["write_path"],
        most=console.settings.elements,
    )
    return tensor_page(console.opened, event, look)


def _event(parts: RunParts, node: str, tensor: str) -> int:
    feeds = dict(parts.feeds)
    found = feeds.get(tensor)
    if found is not None:
        return found
    if tensor in feeds:
        raise AbsentError(f"the feed {tensor} of run {parts.number} was not recorded")
    near = get_close_matches(node, [each.rpartition(":")[0] for each in feeds], n=1)
    hint = f"did you mean '{near[0]}:0'?" if near else f"it has {', '.join(feeds) or 'none'}"
    raise AbsentError(f"no feed {tensor!r} of run {parts.number}; {hint}")


def _line(console: Console, parts: RunParts, name: str, event: int | None) -> Line:
    command_ = f"pf {word(name)} -x {parts.number}"
    if event is None:
        return (Span("  "), Span(name), Span("  not recorded", "dim"))
    return (Span("  "), Span(name, "link", command_), Span("   "), health_span(console.opened.row(event)))
