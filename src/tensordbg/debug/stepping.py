"""How a program that was told to go on does so: which runs are recorded, and where it stops."""

from __future__ import annotations

from tensordbg.console.running import Go, GoKind, Recorded


class Stepping:
    """From one `Go` to the next; runs are counted by whoever asks."""

    def __init__(self) -> None:
        """A program that has not begun: it stops before its first run."""
        self._go: Go | None = None
        self._left = 0
        """So many runs are still to be made."""

    def follow(self, go: Go) -> None:
        """Goes on as told."""
        self._go = go
        self._left = go.times

    @property
    def go(self) -> Go | None:
        """The order that it follows; None before the first stop."""
        return self._go

    @property
    def stops_before(self) -> bool:
        """Whether to stop before the run that is about to be made, which `made` has not been told of."""
        if self._go is None or self._go.kind is GoKind.STEP:
            return True
        # A run that is not recorded leaves nothing to look at, so the one after it is waited for.
        return self._go.kind is GoKind.RUN and not self._unbounded and self._left <= 0

    def records(self, looking: bool) -> Recorded | None:
        """The tensors to be recorded of the next run and of what leads up to it; None for nothing.

        Args:
            looking: Whether any run may have to be looked at.
        """
        go = self._go
        if go is None:
            return Recorded()
        if go.kind is GoKind.RUN and go.till is None and self._left > 1 and not looking:
            return None
        return go.recorded

    def made(self) -> bool:
        """A run was made; returns whether to stop behind it, unless something else says so."""
        self._left -= 1
        go = self._go
        if go is None or go.kind is not GoKind.RUN or self._unbounded or go.recorded is None:
            return False
        return self._left <= 0

    @property
    def _unbounded(self) -> bool:
        """Whether only a filter ends it."""
        return self._go is not None and self._go.till is not None and self._go.times <= 1
