"""`capture`: keeps the step that was made last whole, to be run again by `tdbg replay`."""

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
    """Capture the step that was made last, for `tdbg replay`."""
    path = runner_of(console).capture()
    return Page("", text_lines(f"Captured: {path}", f"`tdbg replay {path}` runs it again."))
