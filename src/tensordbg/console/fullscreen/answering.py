"""Has the console answer a line, away from the screen, and tells the screen in messages what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from textual.message import Message

from tensordbg.console.console import Console
from tensordbg.console.fullscreen import status
from tensordbg.console.fullscreen.layout import SOURCE, TENSORS, pane_of
from tensordbg.console.pages.page import Page
from tensordbg.console.pages.texts import word
from tensordbg.console.running import Go
from tensordbg.errors import TensordbgError

Say = Callable[[Message], object]


class Shown(Message):
    """A page to show in a pane."""

    def __init__(self, page: Page, pane: str) -> None:
        """The user is to look at that pane now."""
        super().__init__()
        self.page = page
        self.pane = pane


class Accompanied(Message):
    """A page to show in a pane beside the one that was asked for."""

    def __init__(self, page: Page, pane: str, mark: int | None = None) -> None:
        """Also the line that stands out."""
        super().__init__()
        self.page = page
        self.pane = pane
        self.mark = mark


class Refused(Message):
    """One line that says why there is no answer."""

    def __init__(self, reason: str) -> None:
        """Takes the line."""
        super().__init__()
        self.reason = reason


class Went(Message):
    """The program goes on."""

    def __init__(self, go: Go) -> None:
        """Says how."""
        super().__init__()
        self.go = go


class Done(Message):
    """The line has been dealt with."""

    def __init__(self, header: str = "") -> None:
        """The text for the top of the screen; empty where it stays."""
        super().__init__()
        self.header = header


def open_conversation(console: Console, say: Say) -> None:
    """Shows the opening page, and the tensors beside it."""

    def show() -> None:
        page = console.opening()
        say(Shown(page, pane_of(page.command)))
        _show_source(console, page, say)
        if pane_of(page.command) != TENSORS:
            with suppress(TensordbgError):
                say(Accompanied(console.preview("list_tensors"), TENSORS))

    _guarded(console, show, say)


def answer_line(console: Console, line: str, seen: Page | None, say: Say) -> None:
    """Answers one line.

    Args:
        console: What answers.
        line: What was typed.
        seen: The page of the active pane, which `/` and `@` are about, whichever was answered last.
        say: Takes the messages.
    """

    def show() -> None:
        if line.startswith(("/", "@")) and seen is not None and seen is not console.pages.shown:
            console.pages.add(seen)
        answer = console.answer(line)
        if answer.go is not None:
            say(Went(answer.go))
        elif answer.page is not None:
            say(Shown(answer.page, pane_of(answer.page.command)))
            _show_source(console, answer.page, say)

    _guarded(console, show, say)


def _guarded(console: Console, show: Callable[[], None], say: Say) -> None:
    header = ""
    try:
        show()
        header = status.header(console)
    except TensordbgError as error:
        say(Refused(str(error)))
    except Exception as error:  # noqa: BLE001 - a fault in a command must not end the conversation, nor the program
        say(Refused(f"this command failed: {type(error).__name__}: {error}; the others go on"))
    say(Done(header))


def _show_source(console: Console, page: Page, say: Say) -> None:
    """Shows the line that a page tells of among the others of its file, if the trace holds it."""
    if page.place is None or pane_of(page.command) == SOURCE:
        return
    with suppress(TensordbgError):
        source = console.preview(f"print_source {word(page.place.file)}")
        sign = f"L{page.place.line}"
        lines = source.lines(0, len(source))
        row = next((row for row, line in enumerate(lines) if line and line[0].text.strip() == sign), None)
        say(Accompanied(source, SOURCE, row))
