"""Messages about a mistake on the command line: the value, the rule and the next action, in one line."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

import click


def one_line(text: str) -> str:
    """The text without line breaks."""
    return " ".join(text.split())


def did_you_mean(value: str, known: Iterable[str]) -> str:
    """The question `; did you mean 'why'?`, or nothing where no known word is near."""
    near = get_close_matches(value, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ";"


def usage_line(error: click.UsageError) -> str:
    """The line for an argument or option that a command does not take."""
    command = error.ctx.command_path if error.ctx else "tdbg"
    if isinstance(error, click.NoSuchOption):
        question = did_you_mean(error.option_name, error.possibilities or ())
        return f"no such option {error.option_name!r}{question} `{command} --help` lists the options"
    message = error.format_message().rstrip(".")
    return f"{message[:1].lower()}{message[1:]}; `{command} --help` shows the usage"
