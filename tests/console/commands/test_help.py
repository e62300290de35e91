from __future__ import annotations

import pytest

from tensordbg.console.command_table import COMMANDS
from tensordbg.console.console import Console
from tensordbg.console.language.filters import Filters
from tensordbg.errors import UsageError
from tests.console.recorded import answer, console_on, text


def test_all_commands_are_listed_with_their_short_names(console: Console) -> None:
    said = answer(console, "help")
    for name, shorts in COMMANDS.items():
        (line,) = [line for line in said if line.split()[:1] == [name]]
        assert ", ".join(shorts) in line


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_told_of(console: Console, name: str) -> None:
    said = text(console, f"help {name}")
    assert f"Usage: {name}" in said
    assert said.splitlines()[2:] == text(console, f"{name} --help").splitlines()[2:]


def test_filters_are_told_of_with_those_of_the_user(console: Console) -> None:
    filters = Filters()
    filters.add("mostly_zero", lambda tensor, value: False)
    said = text(console_on(console.folder, None, filters), "help filters")
    for each in ("has_inf_or_nan", "dead_units", "abs_max", "mostly_zero"):
        assert each in said


def test_an_unknown_command_is_answered_with_the_nearest(console: Console) -> None:
    with pytest.raises(UsageError, match=r"no command 'list_tensor'; did you mean 'list_tensors'?"):
        console.answer("help list_tensor")


def test_no_description_is_cut(console: Console) -> None:
    assert not [line for line in answer(console, "help") if line.endswith("...")]
