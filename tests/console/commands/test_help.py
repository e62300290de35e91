from __future__ import annotations

import pytest

from tensordbg.console.command_table import COMMANDS
from tensordbg.console.console import Console
from tensordbg.console.language.filters import Filters
from tensordbg.console.topics import TOPICS
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
    with pytest.raises(UsageError, match=r"no command or topic 'list_tensor'; did you mean 'list_tensors'?"):
        console.answer("help list_tensor")


def test_no_description_is_cut(console: Console) -> None:
    assert not [line for line in answer(console, "help") if line.endswith("...")]


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_has_its_commands_and_how_they_are_used(console: Console, topic: str) -> None:
    said = text(console, f"help {topic}")
    assert TOPICS[topic].title in said
    assert TOPICS[topic].text.splitlines()[0] in said
    for name in TOPICS[topic].commands:
        assert len([line for line in said.splitlines() if line.split()[:1] == [name]]) == 2


def test_the_list_leads_to_every_topic(console: Console) -> None:
    said = text(console, "help")
    for name, topic in TOPICS.items():
        assert f"{topic.title}: help {name}" in said
    assert "/REGEX" in text(console, "help pages")
