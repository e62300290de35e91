"""`tdbg completion`: prints what a shell needs to complete commands, options and folders behind `tdbg`."""

from __future__ import annotations

import click

_VARIABLE = "_TDBG_COMPLETE"
"""Under which the script that is printed asks `tdbg` what fits."""


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the script by which bash, zsh or fish completes commands, options and folders.

    In bash: `eval "$(tdbg completion bash)"`, best in ~/.bashrc.
    """
    from click.shell_completion import get_completion_class

    from tensordbg.cli.group import commands

    kind = get_completion_class(shell)
    assert kind is not None
    # Not `source()`, which looks for a bash on this machine: the script may be for another.
    words = kind(commands, {}, "tdbg", _VARIABLE)
    click.echo(words.source_template % words.source_vars())
