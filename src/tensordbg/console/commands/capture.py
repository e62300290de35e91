"""`capture`: keeps the training step or the call that comes next whole, to be run again by `tdbg replay`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tensordbg.console.pages.page import Page
from tensordbg.console.pages.texts import text_lines
from tensordbg.console.runner_of import runner_of

if TYPE_CHECKING:
    from tensordbg.console.console import Console


@click.command("capture", add_help_option=False)
@click.argument("function", default="")
@click.pass_obj
def command(console: Console, function: str) -> Page:
    """Capture the training step that comes next, before it writes anything, for `tdbg replay`.

    With FUNCTION, a name or a pattern, the next call of such a function, whatever it computes.
    """
    folder = runner_of(console).capture(function)
    what = f"call of {function}" if function else "training step"
    lines = (
        f"The next {what} will be captured in {folder}: go on with `run`.",
        "`tdbg captures` lists what is there, `tdbg replay` runs a step again.",
    )
    return Page("", text_lines(*lines))
