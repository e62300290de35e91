"""`version` (`ver`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tensordbg import __version__
from tensordbg.console.pages.page import Page
from tensordbg.console.pages.texts import text_lines

if TYPE_CHECKING:
    from tensordbg.console.console import Console


@click.command("version", add_help_option=False)
@click.pass_obj
def command(console: Console) -> Page:
    """Tell the versions of tensordbg and of what the program used."""
    frameworks = console.opened.facts.frameworks.items()
    return Page("", text_lines(f"tensordbg {__version__}", *(f"{name} {version}" for name, version in frameworks)))
