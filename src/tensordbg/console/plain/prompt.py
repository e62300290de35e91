"""The prompt on a terminal, by prompt_toolkit: keys, lines typed before, completion by Tab."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import History
from prompt_toolkit.shortcuts import CompleteStyle

if TYPE_CHECKING:
    from tensordbg.console.console import Console


class ConsoleCompleter(Completer):
    """Completes the word at the cursor with what the console knows."""

    def __init__(self, console: Console) -> None:
        """Of one console."""
        self._console = console

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:  # noqa: ARG002
        """See `Completer`."""
        cursor = document.cursor_position
        found = self._console.complete(document.text, cursor)
        for candidate in found.candidates:
            yield Completion(candidate, start_position=found.begin - cursor)


class ConsoleHistory(History):
    """The lines that the console remembers; it adds those that are typed itself."""

    def __init__(self, console: Console) -> None:
        """Of one console."""
        super().__init__()
        self._console = console

    def load_history_strings(self) -> Iterable[str]:
        """The newest first."""
        return reversed(self._console.lines)

    def store_string(self, string: str) -> None:
        """See `History`."""


class Ask(Protocol):
    """Asks for one line."""

    def __call__(self, *, in_thread: bool) -> str:
        """Asks, in a thread of its own where this one runs a loop of events already."""


def prompt_of(console: Console) -> Ask:
    """Makes the prompt that asks for the lines of a console."""
    session: PromptSession[str] = PromptSession(
        completer=ConsoleCompleter(console),
        history=ConsoleHistory(console),
        complete_while_typing=False,
        complete_style=CompleteStyle.READLINE_LIKE,
        enable_history_search=True,
    )

    def ask(*, in_thread: bool) -> str:
        return session.prompt(console.prompt, in_thread=in_thread)

    return ask
