"""The subjects of a console: the trace, its runs, and the program that stands still."""

from __future__ import annotations

from typing import Protocol

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.console.language.filters import Filters
from tensordbg.console.names.runs import Runs, Scope
from tensordbg.console.pages.page import Page
from tensordbg.console.running import Runner


class LookedAt(Protocol):
    """A trace in which one looks around; the console is one."""

    @property
    def opened(self) -> OpenedTrace:
        """The trace as it was when the last line was typed."""

    @property
    def runs(self) -> Runs:
        """The runs that were recorded."""

    @property
    def runner(self) -> Runner | None:
        """The program that stands still; None where there is none."""

    @property
    def filters(self) -> Filters:
        """The filters that have a name."""

    def scope(self, chosen: str = "") -> Scope:
        """The tensors that a command looks at."""

    def preview(self, line: str) -> Page:
        """The page of a line that only looks."""
