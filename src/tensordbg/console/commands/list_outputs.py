"""`list_outputs` (`lo`): what was computed from a node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tensordbg.console.node_command import tree_command, tree_page
from tensordbg.console.pages.page import Page

if TYPE_CHECKING:
    from tensordbg.console.console import Console


@click.command("list_outputs", add_help_option=False)
@tree_command
@click.pass_obj
def command(console: Console, /, **options: Any) -> Page:
    """List the recipients of a node's outputs, and with -r what was computed from those."""
    return tree_page(console, "Recipients of node", **options)
