"""The console: takes a line, does what it says, and remembers lines and pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.console.filters import Filters
from tensordbg.console.page import Page
from tensordbg.console.running import Go, Runner


@dataclass(frozen=True)
class Answer:
    """What comes of a line."""

    page: Page | None = None
    """None where there is nothing to show, as after `exit` or an empty line."""
    go: Go | None = None
    """Where the line said how the program goes on: the face ends its conversation and hands this out."""


@dataclass(frozen=True)
class Completion:
    """What may stand at the cursor."""

    begin: int
    """Where the word begins that a candidate takes the place of."""
    candidates: tuple[str, ...] = field(default=())
    """Words in full, the likeliest first."""


class Console:
    """The commands on one trace."""

    def __init__(self, folder: Path, runner: Runner | None = None, filters: Filters | None = None) -> None:
        """Nothing is read yet.

        Args:
            folder: Of the trace, which may still grow: each line sees what was recorded by then.
            runner: The program that is recorded and stands still while a line is answered; None where there is none.
            filters: Those that have a name.
        """
        self.folder = folder
        self.runner = runner
        self.filters = filters or Filters()

    @property
    def opened(self) -> OpenedTrace:
        """The trace as it is now."""
        raise NotImplementedError

    @property
    def prompt(self) -> str:
        """What stands before the cursor: `tdbg> `."""
        return "tdbg> "

    def opening(self) -> Page:
        """What is shown first, and after each stop: where the program stands and what can be done.

        It is the first of the remembered pages; where tensors pass a filter it lists them, where a run raised it tells
        of the operation.
        """
        raise NotImplementedError

    def answer(self, line: str) -> Answer:
        """Does what a line says, and remembers the line and its page.

        Raises:
            UsageError: If it is not understood, or names what is not there; one line of text.
            TraceError: If the trace can't be read.
        """
        raise NotImplementedError

    def preview(self, line: str) -> Page:
        """The page of a line that only looks; nothing is remembered. Raises as `answer`, also if it would not look."""
        raise NotImplementedError

    def complete(self, line: str, cursor: int) -> Completion:
        """What may stand at the cursor: commands, options, tensors, nodes, files, filters, what is fed."""
        raise NotImplementedError

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that were typed, here and in earlier sessions, the oldest first."""
        raise NotImplementedError

    def previous(self) -> Page | None:
        """Goes back to the page before the one shown, as the command `prev`; None at the first."""
        raise NotImplementedError

    def next(self) -> Page | None:
        """Goes on to the page after the one shown, as the command `next`; None at the last."""
        raise NotImplementedError


class Face(Protocol):
    """Talks with the user: full-screen, at a plain prompt, or as a script does."""

    def converse(self, console: Console) -> Go:
        """Shows `console.opening()`, answers lines until one says how to go on, and returns that.

        It may be called again and again, at each stop of the program. The end of the input counts as `exit`.
        """
