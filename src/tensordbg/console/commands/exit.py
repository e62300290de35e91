"""`exit` (`quit`, `q`): leaves the console, and ends the program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tensordbg.console.console import Answer
from tensordbg.console.running import Go, GoKind

if TYPE_CHECKING:
    from tensordbg.console.console import Console


@click.command("exit", add_help_option=False)
@click.pass_obj
def command(_: Console) -> Answer:
    """Leave the console; a program that stands still is ended."""
    return Answer(go=Go(GoKind.EXIT))
