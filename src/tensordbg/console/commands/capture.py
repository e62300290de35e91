"""`capture`: keeps the training step that comes next whole, to be run again by `tdbg replay`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tensordbg.console.page import Page
from tensordbg.console.runner_of import runner_of
from tensordbg.console.texts import text_lines

if TYPE_CHECKING:
    from tensordbg.console.console import Console


@click.command("capture", add_help_option=False)
@click.pass_obj
def command(console: Console) -> Page:
    """Capture the training step that comes next, before it writes anything, for `tdbg replay`."""
    folder = runner_of(console).capture()
    lines = (
        f"The next training step will be captured in {folder}: go on with `run`.",
        "`tdbg captures` lists what is there, `tdbg replay` runs a step again.",
    )
    return Page("", text_lines(*lines))
