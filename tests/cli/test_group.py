from __future__ import annotations

import importlib
import re

import click
import pytest

from tensordbg.cli.group import COMMANDS, GROUPS, commands


@pytest.mark.parametrize("name", COMMANDS)
def test_command_has_the_name_of_its_module(name: str) -> None:
    command = commands.get_command(click.Context(commands), name)
    assert command is importlib.import_module(f"tensordbg.cli.commands.{name}").command
    assert command.name == name


def test_other_words_are_no_commands() -> None:
    assert commands.get_command(click.Context(commands), "messages") is None


def test_help_has_each_command_under_what_it_is_for() -> None:
    text = commands.get_help(click.Context(commands, info_name="tdbg", terminal_width=80))
    assert "..." not in text.partition("Options:")[2]
    positions = [text.index(f"\n{title}:\n") for title in GROUPS]
    assert positions == sorted(positions)
    for name in COMMANDS:
        assert re.search(rf"^  {name} +\S", text, re.MULTILINE), name


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_in_a_whole_sentence_what_a_command_does(name: str) -> None:
    text = " ".join(commands.get_help(click.Context(commands, info_name="tdbg", terminal_width=80)).split())
    command = commands.get_command(click.Context(commands), name)
    assert command is not None
    first = " ".join((command.help or "").split()).partition(". ")[0].rstrip(".")
    assert first in text
