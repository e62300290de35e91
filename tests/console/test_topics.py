from __future__ import annotations

from tensordbg.console.command_table import COMMANDS
from tensordbg.console.topics import PAGES, TOPICS


def test_every_command_is_in_one_topic() -> None:
    assert sorted(name for topic in TOPICS.values() for name in topic.commands) == sorted(COMMANDS)


def test_a_topic_is_no_command() -> None:
    assert not {*TOPICS, PAGES, "filters"} & {*COMMANDS, *(short for shorts in COMMANDS.values() for short in shorts)}
