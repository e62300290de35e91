"""`config` (`cfg`): what can be set."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import click

from tensordbg.console.pages.page import Page, Span
from tensordbg.console.pages.texts import table_lines
from tensordbg.console.settings import changed, write_settings
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.console.console import Console


@click.command("config", add_help_option=False)
@click.argument("action", metavar="[show|set]", default="show")
@click.argument("name", default="")
@click.argument("value", default="")
@click.pass_obj
def command(console: Console, action: str, name: str, value: str) -> Page:
    """Show the settings, or change one: `config set graph_recursion_depth 5`. They are kept for later sessions."""
    if action == "set":
        if not name or not value:
            raise UsageError("`config set` takes a name and a value, such as `config set mouse_mode off`")
        console.settings = changed(console.settings, name, value)
        if console.files.settings is not None:
            write_settings(console.files.settings, console.settings)
    elif action != "show":
        raise UsageError(f"`config {action}` is not there; write `config show`, or `config set NAME VALUE`")
    rows = [[Span(each.name), Span(_text(getattr(console.settings, each.name)))] for each in fields(console.settings)]
    return Page("Settings:", table_lines(("", ""), rows))


def _text(value: object) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)
