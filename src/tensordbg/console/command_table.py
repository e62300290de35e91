"""All commands of the console, their short names, and how a line is handed to one of them.

A command is imported when it is first named, as `tdbg` does.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import click

from tensordbg.errors import UsageError

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "run": ("r",),
    "step": ("s",),
    "continue": ("c", "cont"),
    "until": (),
    "break": ("b",),
    "delete": (),
    "capture": (),
    "run_info": ("ri",),
    "print_feed": ("pf",),
    "list_tensors": ("lt",),
    "print_tensor": ("pt",),
    "node_info": ("ni",),
    "list_inputs": ("li",),
    "list_outputs": ("lo",),
    "list_source": ("ls",),
    "print_source": ("ps",),
    "list_profile": ("lp",),
    "eval": ("ev",),
    "why": (),
    "history": ("hi",),
    "graph": ("g",),
    "diff": (),
    "config": ("cfg",),
    "help": ("h",),
    "version": ("ver",),
    "exit": ("quit", "q"),
}
"""By name the short names; `topics.py` says what they are for."""

OF_PAGES: Mapping[str, str] = {
    "/REGEX": "go to the next line in which it is found; `/` alone to the one after that",
    "@[I,J]": "go to the element of the tensor that is shown",
    "prev": "show the page before (also `p`)",
    "next": "show the page after (also `n`)",
}
"""What is said of the commands that move about, see `pages/navigation.py`."""

_NAMES = {short: name for name, shorts in COMMANDS.items() for short in (name, *shorts)}


def command_named(word: str) -> click.Command:
    """The command with a name or a short name.

    Raises:
        UsageError: If there is none.
    """
    name = _NAMES.get(word)
    if name is None:
        near = get_close_matches(word, [*COMMANDS, "prev", "next"], n=1) or get_close_matches(word, _NAMES, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "`help` lists them"
        raise UsageError(f"no command {word!r}; {hint}")
    module = importlib.import_module(f"tensordbg.console.commands.{name}")
    command: click.Command = module.command
    return command


def run_command(console: object, words: Sequence[str]) -> Any:
    """Answers the command of a line: with a `Page`, or an `Answer`.

    Raises:
        UsageError: If there is no such command, or it does not take these words.
    """
    command = command_named(words[0])
    asked = set(words[1:]) if command.name != "eval" else set(words[1:2])
    if {"-h", "--help"} & asked:
        command, words = command_named("help"), ["help", str(command.name)]
    try:
        with command.make_context(str(command.name), list(words[1:]), obj=console) as context:
            return command.invoke(context)
    except click.UsageError as error:
        raise UsageError(_usage(error, command)) from None


def _usage(error: click.UsageError, command: click.Command) -> str:
    if isinstance(error, click.NoSuchOption):
        near = error.possibilities or get_close_matches(error.option_name, option_names(command), n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"`help {command.name}` lists them"
        return f"no such option {error.option_name!r} of {command.name}; {hint}"
    message = " ".join(error.format_message().split()).rstrip(".")
    return f"{message[:1].lower()}{message[1:]}; `help {command.name}` shows how {command.name} is used"


def option_names(command: click.Command) -> list[str]:
    """All options of a command."""
    return [name for each in command.params if isinstance(each, click.Option) for name in each.opts]
