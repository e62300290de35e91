"""The panes side by side, or one at a time, and which of them keys move in."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container

from tensordbg.console.fullscreen.layout import ANSWER, HEADINGS
from tensordbg.console.fullscreen.pane import Pane


class Panes(Container):
    """Those that show nothing yet take no room."""

    def __init__(self) -> None:
        """All are empty."""
        super().__init__(id="panes")
        self._by_name = {name: Pane(name, heading) for name, heading in HEADINGS.items()}
        # Answers are texts; tables and source are read by columns.
        self._by_name[ANSWER].folds = True
        self.active = self._by_name[ANSWER]
        """The pane that keys move in; on a small screen the only one that is seen."""

    def compose(self) -> ComposeResult:
        """See `Widget`."""
        yield from self._by_name.values()

    def __getitem__(self, name: str) -> Pane:
        return self._by_name[name]

    @property
    def filled(self) -> tuple[str, ...]:
        """The names of those that show something, in the order of their keys."""
        return tuple(name for name, pane in self._by_name.items() if pane.whole_page is not None)

    def turn_to(self, name: str) -> None:
        """Makes a pane the active one; an empty one stays out of sight."""
        if name not in self.filled:
            return
        self.active = self._by_name[name]
        for pane in self._by_name.values():
            pane.set_class(pane is self.active, "active")

    def turn_on(self) -> None:
        """Turns to the next pane that shows something."""
        names = self.filled
        if names:
            self.turn_to(names[(names.index(self.active.id or ANSWER) + 1) % len(names)])

    def zoom(self) -> None:
        """Shows the active pane alone, or all again."""
        self.toggle_class("zoomed")
