"""`delete`: takes a breakpoint away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tensordbg.console.pages.page import Page
from tensordbg.console.pages.texts import text_lines
from tensordbg.console.runner_of import runner_of
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.console.console import Console


@click.command("delete", add_help_option=False)
@click.argument("number", type=int, metavar="N")
@click.pass_obj
def command(console: Console, number: int) -> Page:
    """Take a breakpoint away; `break` lists them."""
    runner = runner_of(console)
    if number not in runner.breakpoints:
        known = ", ".join(map(str, runner.breakpoints)) or "none is set"
        raise UsageError(f"no breakpoint {number}; `break` lists them ({known})")
    runner.remove_breakpoint(number)
    return Page("", text_lines(f"Breakpoint {number} is gone."))
