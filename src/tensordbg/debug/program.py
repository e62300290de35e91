"""The program as the console sees it: where it stands, what may stop it."""

from __future__ import annotations

from collections.abc import Mapping

from tensordbg.console.language.filters import Filters
from tensordbg.console.running import Breakpoint, Stop, StopKind
from tensordbg.debug.reasons.breakpoints import Breakpoints
from tensordbg.debug.step_capture import StepCapture
from tensordbg.errors import UsageError


class DebuggedProgram:
    """A `Runner`; the debugger keeps it up to date."""

    def __init__(self, filters: Filters) -> None:
        """Of a program that has not begun."""
        self.stop = Stop(StopKind.BEFORE, 1, "")
        self.made: dict[int, int] = {}
        self.set = Breakpoints(filters)
        self.capturing: StepCapture | None = None
        """What captures steps, where that can be done."""

    @property
    def executions(self) -> Mapping[int, int]:
        """See `Runner`."""
        return self.made

    @property
    def breakpoints(self) -> dict[int, Breakpoint]:
        """See `Runner`."""
        return self.set.by_number

    def add_breakpoint(self, breakpoint: Breakpoint) -> int:  # noqa: A002  what it is
        """See `Runner`."""
        return self.set.add(breakpoint)

    def remove_breakpoint(self, number: int) -> None:
        """See `Runner`."""
        self.set.remove(number)

    def capture(self, function: str = "") -> str:
        """See `Runner`."""
        if self.capturing is None:
            raise UsageError("steps of this program can't be captured; `tdbg debug` and `tdbg trap` capture them")
        return str(self.capturing.ask(function))
