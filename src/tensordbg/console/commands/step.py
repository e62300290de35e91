"""`step` (`s`): goes on to the next run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tensordbg.console.console import Answer
from tensordbg.console.runner_of import waiting_runner
from tensordbg.console.running import Go, GoKind

if TYPE_CHECKING:
    from tensordbg.console.console import Console


@click.command("step", add_help_option=False)
@click.pass_obj
def command(console: Console) -> Answer:
    """Go on to the next run, and stop before it."""
    waiting_runner(console)
    return Answer(go=Go(GoKind.STEP))
