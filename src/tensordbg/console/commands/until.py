"""`until`: goes on to a line of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tensordbg.console.breakpoints import parse_place
from tensordbg.console.console import Answer
from tensordbg.console.runner_of import waiting_runner
from tensordbg.console.running import Go, GoKind

if TYPE_CHECKING:
    from tensordbg.console.console import Console


@click.command("until", add_help_option=False)
@click.argument("place", metavar="FILE:LINE")
@click.pass_obj
def command(console: Console, place: str) -> Answer:
    """Go on until a run is called from a line, or computes what it made, and stop after that run."""
    waiting_runner(console)
    return Answer(go=Go(GoKind.UNTIL, place=parse_place(console, place)))
