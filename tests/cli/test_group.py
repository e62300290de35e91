from __future__ import annotations

import importlib

import click
import pytest

from tensordbg.cli.group import COMMANDS, commands


@pytest.mark.parametrize("name", COMMANDS)
def test_command_has_the_name_of_its_module(name: str) -> None:
    command = commands.get_command(click.Context(commands), name)
    assert command is importlib.import_module(f"tensordbg.cli.commands.{name}").command
    assert command.name == name


def test_other_words_are_no_commands() -> None:
    assert commands.get_command(click.Context(commands), "messages") is None
