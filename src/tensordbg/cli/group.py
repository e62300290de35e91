"""The group of all commands; each is imported when it is named, and only then."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import click

from tensordbg import __version__
from tensordbg.cli.messages import did_you_mean
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

GROUPS = {
    "Record a program": ("run", "debug", "trap", "import", "watch"),
    "Ask what went wrong": ("why", "diff", "replay", "captures", "capture"),
    "Look around": ("view", "console", "mcp", "ls", "show", "functions", "layers", "graph", "sql"),
    "Pass on": ("report", "export", "upload"),
    "Set up": ("prune", "build", "completion"),
}
"""What the commands are for, in the order in which the help lists them."""

COMMANDS = tuple(name for names in GROUPS.values() for name in names)
"""Every command; `tensordbg.cli.commands.<name>` defines `command`."""

HELP = """The debugger for the numbers of machine-learning programs.

\b
  tdbg run train.py     record a program
  tdbg why              see what went wrong in it, and why
"""


class CommandTable(click.Group):
    """Finds a command in the module that bears its name."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """See `click.Group`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """See `click.Group`."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"tensordbg.cli.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """See `click.MultiCommand`; the first sentence of each command's help, whole."""
        width = max(map(len, COMMANDS)) + _GAP
        for title, names in GROUPS.items():
            found = [(name, self.get_command(ctx, name)) for name in names]
            rows = [(name.ljust(width - _GAP), _first_sentence(command)) for name, command in found if command]
            with formatter.section(title):
                formatter.write_dl(rows, col_max=width, col_spacing=_GAP)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """See `click.Group`; which cuts what a command does in the middle of its sentence."""
        found = super().shell_complete(ctx, incomplete)
        for each in found:
            if command := self.get_command(ctx, each.value):
                each.help = _first_sentence(command)
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """See `click.Group`; refuses a word that is no command."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            message = f"no such command {name!r}{did_you_mean(name, COMMANDS)} `tdbg --help` lists the commands"
            raise UsageError(message)
        return super().resolve_command(ctx, args)


_GAP = 2
"""Blanks between a command and what it does."""


def _first_sentence(command: click.Command) -> str:
    paragraph = " ".join((command.help or "").split("\n\n")[0].split())
    return paragraph.partition(". ")[0].rstrip(".")


@click.group(
    cls=CommandTable,
    help=HELP,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="tdbg", message="%(prog)s %(version)s")
@click.pass_context
def commands(context: click.Context) -> None:
    """See `HELP`."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
