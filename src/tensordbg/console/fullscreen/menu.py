"""The commands that suggest themselves after a page, as a row in which each can be clicked or reached by its number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from tensordbg.console.language.words import parse_line
from tensordbg.console.pages.page import Page
from tensordbg.console.pages.texts import word
from tensordbg.console.running import Runner, StopKind

_OF_TENSOR = ("print_tensor", "pt", "history")
_OF_NODE = ("node_info", "ni", "list_inputs", "li", "list_outputs", "lo", "graph")
_KEY = " Alt+"
_NAME = re.compile(r"[^\W\d]")
"""What stands behind options are numbers and ranges."""
_SLICE = re.compile(r"\[.*$")
_SLOT = re.compile(r":\d+$")


@dataclass(frozen=True)
class Choice:
    """One command of the menu."""

    label: str
    command: str


def choices(page: Page | None, runner: Runner | None) -> tuple[Choice, ...]:
    """The suggestions, the likeliest first."""
    return (*_on_the_way(runner), *_about(page), *_anywhere())


def _on_the_way(runner: Runner | None) -> tuple[Choice, ...]:
    if runner is None or runner.stop.kind is StopKind.END:
        return ()
    if runner.stop.kind is StopKind.ERROR:
        return (Choice("why", "why"),)
    return (Choice("run", "run"), Choice("run -f non_finite", "run -f non_finite"), Choice("step", "step"))


def _about(page: Page | None) -> tuple[Choice, ...]:
    """Other ways to look at the tensor or the node that a page is about."""
    words = parse_line(page.command).words if page is not None else ()
    if not words or words[0] not in _OF_TENSOR + _OF_NODE:
        return ()
    name = next((each for each in words[1:] if _NAME.match(each)), "")
    if not name:
        return ()
    name = _SLICE.sub("", name)
    node = word(_SLOT.sub("", name))
    tensor = word(name if words[0] in _OF_TENSOR else f"{_SLOT.sub('', name)}:0")
    offered = (f"pt {tensor}", f"ni {node}", f"li {node}", f"lo {node}", f"history {tensor}")
    return tuple(Choice(command.split()[0], command) for command in offered if command.split()[0] != words[0])


def _anywhere() -> tuple[Choice, ...]:
    return tuple(Choice(each, each) for each in ("lt", "lt -f non_finite", "why", "ls", "ri", "help", "exit"))


class Menu(Widget):
    """The row of commands; those for which there is no room are left out."""

    class Chosen(Message):
        """A command was chosen."""

        def __init__(self, command: str) -> None:
            """The line that it types."""
            super().__init__()
            self.command = command

    def __init__(self) -> None:
        """Offers nothing yet."""
        super().__init__(id="menu")
        self._choices: tuple[Choice, ...] = ()

    def offer(self, offered: Sequence[Choice]) -> None:
        """Shows some commands; of those that type the same, the first."""
        self._choices = tuple({choice.command: choice for choice in reversed(offered)}.values())[::-1]
        self.refresh()

    @property
    def placed(self) -> list[tuple[int, int, Choice]]:
        """The commands in sight, each with the columns that it takes."""
        found = []
        begin = len(_KEY)
        for number, choice in enumerate(self._choices, 1):
            end = begin + cell_len(_label(number, choice))
            if end > self.size.width:
                break
            found.append((begin, end, choice))
            begin = end + 2
        return found

    def render(self) -> Text:
        """See `Widget`."""
        text = Text(no_wrap=True, end="").append(_KEY, "dim")
        for number, (begin, _, choice) in enumerate(self.placed, 1):
            text.append(" " * (begin - text.cell_len))
            text.append(_number(number), "dim")
            text.append(choice.label, "cyan underline")
        return text

    def choose(self, number: int) -> None:
        """Types the command of that number, from 1; beyond the last nothing happens."""
        placed = self.placed
        if number <= len(placed):
            self.post_message(self.Chosen(placed[number - 1][2].command))

    def on_click(self, event: events.Click) -> None:
        """Types the command that was clicked."""
        event.stop()
        for begin, end, choice in self.placed:
            if begin <= event.x < end:
                self.post_message(self.Chosen(choice.command))


def _label(number: int, choice: Choice) -> str:
    return f"{_number(number)}{choice.label}"


def _number(number: int) -> str:
    """What stands before a command: its key, as far as there are keys."""
    return f"{number} " if number < 10 else ""
