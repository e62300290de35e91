"""`print_tensor` (`pt`): the elements of a tensor, or of a part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tensordbg.console.language.ranges import parse_ranges
from tensordbg.console.names.tensors import find_tensor, typed_tensor
from tensordbg.console.options import (
    all_option,
    event_option,
    function_option,
    number_option,
    run_option,
    write_option,
)
from tensordbg.console.pages.page import Page
from tensordbg.console.pages.tensor_page import Look, choose_event, others_line, tensor_page
from tensordbg.console.pages.texts import word

if TYPE_CHECKING:
    from tensordbg.console.console import Console


@click.command("print_tensor", add_help_option=False)
@click.argument("name", metavar="NAME[:SLOT][SLICE]")
@number_option
@click.option("-r", "--ranges", default="", metavar="RANGES", help="Highlight elements: '[-inf,0]', '[[0,1],[5,inf]]'.")
@all_option
@click.option("-s", "--numeric_summary", "summary", is_flag=True, help="Count the elements by sign, tell their extent.")
@click.option("-p", "--precision", type=click.IntRange(0, 17), metavar="N", help="So many digits behind the point.")
@write_option
@event_option
@function_option
@run_option
@click.pass_obj
def command(console: Console, /, name: str, run: str, ranges: str, **options: Any) -> Page:
    """Show the elements of a tensor.

    SLICE is as in NumPy, such as [0, :, -1] or [..., ::2]. Of a tensor that was computed several times the first that
    is not finite is shown, or else the last, in the step of the event of which the page before tells; -n chooses
    another.
    """
    typed = typed_tensor(console.opened, name)
    look = Look(
        part=typed.part,
        intervals=parse_ranges(ranges),
        everything=options["everything"],
        summary=options["summary"],
        write=options["write_path"],
        digits=options["precision"],
        most=console.settings.elements,
    )
    opened = console.opened
    if options["event"] is not None:
        return tensor_page(opened, options["event"], look)
    scope = console.scope(run)
    chosen = find_tensor(opened, typed, scope, options["function"])
    number = choose_event(opened, chosen.events, options["number"], scope.near)
    again = f"pt {word(name)}" + (f" -x {run}" if run else "")
    among = others_line(number, len(chosen.events), again)
    return tensor_page(opened, int(chosen.events[number]), look, among)
