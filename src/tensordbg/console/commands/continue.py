"""`continue` (`c`): goes on until something stops the program."""

# The command is called what it is called.
# ruff: noqa: N999
from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tensordbg.console.console import Answer
from tensordbg.console.runner_of import waiting_runner
from tensordbg.console.running import Go, GoKind

if TYPE_CHECKING:
    from tensordbg.console.console import Console


@click.command("continue", add_help_option=False)
@click.pass_obj
def command(console: Console) -> Answer:
    """Go on until a breakpoint, Ctrl-C, or something raises."""
    waiting_runner(console)
    return Answer(go=Go(GoKind.CONTINUE))
