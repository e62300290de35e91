from __future__ import annotations

import pytest

from tensordbg.console import commands
from tensordbg.console.command_table import COMMANDS, command_named, option_names, run_command
from tensordbg.console.console import Console
from tensordbg.errors import UsageError


def test_every_module_is_listed_and_named_as_its_command() -> None:
    from pathlib import Path

    found = {path.stem for path in Path(commands.__path__[0]).glob("*.py")} - {"__init__"}
    assert found == set(COMMANDS)
    assert {command_named(name).name for name in COMMANDS} == found


def test_short_names_are_told_apart() -> None:
    shorts = [short for each in COMMANDS.values() for short in each]
    assert len(shorts) == len(set(shorts))
    assert not set(shorts) & set(COMMANDS)
    assert command_named("lt") is command_named("list_tensors")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["lst"], r"no command 'lst'; did you mean '\w+'\?"),
        (["xyzzy"], "no command 'xyzzy'; `help` lists them"),
        (["lt", "--sort_bye"], r"no such option '--sort_bye' of list_tensors; did you mean"),
        (["pt"], "missing argument 'NAME"),
        (["ver", "extra"], r"got unexpected extra argument \(extra\); `help version` shows how version is used"),
        (["lt", "-n", "["], "is no regular expression"),
    ],
)
def test_what_a_command_does_not_take_is_said_in_one_line(console: Console, words: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        run_command(console, words)
    assert "\n" not in str(caught.value)


def test_options_are_known_for_completion() -> None:
    assert {"-f", "-fenn", "--sort_by"} <= set(option_names(command_named("lt")))
