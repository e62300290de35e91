from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tensordbg.console.console import Console
from tensordbg.console.fullscreen.menu import choices
from tensordbg.console.pages.page import FixedLines, Page
from tensordbg.console.running import Stop, StopKind
from tests.console.fullscreen.driving import Driven, drive


def commands(command: str, runner: Any = None) -> list[str]:
    return [choice.command for choice in choices(Page("", FixedLines(()), command=command), runner)]


def runner_at(kind: StopKind) -> Any:
    return SimpleNamespace(stop=Stop(kind, 1, "step()"))


@pytest.mark.parametrize(
    ("command", "offered"),
    [
        ("pt model/Log:1[0, :]", ["ni model/Log", "li model/Log", "lo model/Log", "history model/Log:1"]),
        ("li -r Log", ["pt Log:0", "ni Log", "lo Log", "history Log:0"]),
        ('pt -s "a b:0"', ['ni "a b"', 'li "a b"', 'lo "a b"', 'history "a b:0"']),
        ("pt -n 3 -r [0,inf] Log:0", ["ni Log", "li Log", "lo Log", "history Log:0"]),
        ("why", []),
        ("ni", []),
    ],
)
def test_after_a_tensor_or_node_other_ways_to_look_at_it_come_first(command: str, offered: list[str]) -> None:
    found = commands(command)
    assert found[: len(offered)] == offered
    assert found[len(offered) :] == ["lt", "lt -f non_finite", "why", "ls", "ri", "help", "exit"]


def test_a_program_can_be_run_while_it_stands_and_no_more_after_its_end() -> None:
    assert commands("ri", runner_at(StopKind.BEFORE))[:3] == ["run", "run -f non_finite", "step"]
    assert commands("ri", runner_at(StopKind.ERROR))[0] == "why"
    assert "run" not in commands("ri", runner_at(StopKind.END))


def test_what_has_no_room_is_left_out_and_numbers_are_those_of_keys(console: Console) -> None:
    async def talk(driven: Driven) -> None:
        rows = await driven.sees("Alt+1 lt", "5 ri")
        assert rows[-2].split() == ["Alt+1", "lt", "2", "lt", "-f", "non_finite", "3", "why", "4", "ls", "5", "ri"]

    drive(console, talk, (52, 20))
