"""`list_inputs` (`li`): what a node was computed from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tensordbg.console.node_command import tree_command, tree_page
from tensordbg.console.pages.page import Page

if TYPE_CHECKING:
    from tensordbg.console.console import Console


@click.command("list_inputs", add_help_option=False)
@tree_command
@click.pass_obj
def command(console: Console, /, **options: Any) -> Page:
    """List the inputs of a node, and with -r what those were computed from, with the statistics of each tensor."""
    return tree_page(console, "Inputs to node", **options)
