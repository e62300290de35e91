"""`break` (`b`): stops the program after the run that computed something; without a word lists what is set."""

# The command is called what it is called.
# ruff: noqa: N999
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tensordbg.console.breakpoints import parse_place
from tensordbg.console.page import Page, Span
from tensordbg.console.runner_of import runner_of
from tensordbg.console.running import BreakKind, Breakpoint
from tensordbg.console.texts import table_lines, text_lines
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.console.console import Console
    from tensordbg.console.running import Runner


@click.command("break", add_help_option=False)
@click.argument("place", metavar="[FILE:LINE]", default="")
@click.option("-o", "--operation", default="", metavar="NAME", help="Operations of this name, or pattern.")
@click.option("-u", "--function", default="", metavar="NAME", help="Functions of this name, or pattern.")
@click.option("-l", "--layer", default="", metavar="PATH", help="Keras layers of this path, or pattern.")
@click.option("-f", "--filter", "filter_", default="", metavar="FILTER", help="Tensors that pass this filter.")
@click.pass_obj
def command(console: Console, /, place: str, **options: Any) -> Page:
    """Stop the program after each run that computes something: of a line, an operation, a function, or a layer.

    Without a word the breakpoints are listed; `delete N` takes one away.
    """
    runner = runner_of(console)
    given = {
        BreakKind.LINE: place,
        BreakKind.OPERATION: options["operation"],
        BreakKind.FUNCTION: options["function"],
        BreakKind.LAYER: options["layer"],
        BreakKind.FILTER: options["filter_"],
    }
    chosen = [(kind, text) for kind, text in given.items() if text]
    if not chosen:
        return breakpoints_page(runner)
    if len(chosen) > 1:
        raise UsageError("a breakpoint names one thing; set several with a `break` each")
    (kind, text) = chosen[0]
    if kind is BreakKind.LINE:
        found = parse_place(console, text)
        text = f"{found.file}:{found.line}"
    elif kind is BreakKind.FILTER:
        text = console.filters.parse(text).text
    number = runner.add_breakpoint(Breakpoint(kind, text))
    return Page("", text_lines(f"Breakpoint {number}: {kind.value} {text}"))


def breakpoints_page(runner: Runner) -> Page:
    """Those that are set."""
    rows = [[Span(str(number)), Span(each.kind.value), Span(each.text)] for number, each in runner.breakpoints.items()]
    if not rows:
        return Page("", text_lines("No breakpoint is set."))
    return Page("Breakpoints:", table_lines(("number", "of", "what"), rows, right=(0,)))
