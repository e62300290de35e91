"""`break` (`b`): stops the program at a line, or after the run that computed something; alone lists what is set."""

# The command is called what it is called.
# ruff: noqa: N999
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tensordbg.console.breakpoints import line_to_break
from tensordbg.console.pages.page import Page, Span
from tensordbg.console.pages.texts import table_lines, text_lines
from tensordbg.console.runner_of import runner_of
from tensordbg.console.running import BreakKind, Breakpoint
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.console.console import Console
    from tensordbg.console.running import Runner


@click.command("break", add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("place", metavar="[FILE:LINE [if CONDITION]]", nargs=-1)
@click.option("-o", "--operation", default="", metavar="NAME", help="Operations of this name, or pattern.")
@click.option("-u", "--function", default="", metavar="NAME", help="Functions of this name, or pattern.")
@click.option("-l", "--layer", default="", metavar="PATH", help="Keras layers of this path, or pattern.")
@click.option("-f", "--filter", "filter_", default="", metavar="FILTER", help="Tensors that pass this filter.")
@click.pass_obj
def command(console: Console, /, place: tuple[str, ...], **options: Any) -> Page:
    """Stop the program at a line where operations run, or after each run that computes an operation, or a layer.

    A condition asks for the names at the line: `break train.py:40 if loss > 10`, `if nan(x)`, `if x.shape[0] != 32`.
    Without a word the breakpoints are listed; `delete N` takes one away.
    """
    runner = runner_of(console)
    given = {
        BreakKind.LINE: " ".join(place),
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
        found, note = line_to_break(console, text)
        number = runner.add_breakpoint(found)
        return Page("", text_lines(f"Breakpoint {number}: {words_of(found)}", *([note] if note else [])))
    if kind is BreakKind.FILTER:
        text = console.filters.parse(text).text
    number = runner.add_breakpoint(Breakpoint(kind, text))
    return Page("", text_lines(f"Breakpoint {number}: {kind.value} {text}"))


def words_of(breakpoint: Breakpoint) -> str:  # noqa: A002  what it is
    """`line train.py:40 if loss > 10`."""
    return f"{breakpoint.kind.value} {breakpoint.text}{f' if {breakpoint.condition}' if breakpoint.condition else ''}"


def breakpoints_page(runner: Runner) -> Page:
    """Those that are set."""
    rows = [
        [Span(str(number)), Span(each.kind.value), Span(words_of(each).partition(" ")[2])]
        for number, each in runner.breakpoints.items()
    ]
    if not rows:
        return Page("", text_lines("No breakpoint is set."))
    return Page("Breakpoints:", table_lines(("number", "of", "what"), rows, right=(0,)))
