"""The row above the panes: where the program stands and what was recorded, and the panes with their keys."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.style import Style as Look
from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from tensordbg.console.fullscreen.layout import HEADINGS
from tensordbg.controls import escaped


@dataclass(frozen=True)
class Tab:
    """A pane in the row."""

    pane: str
    label: str
    begin: int
    end: int


class Header(Widget):
    """The panes that show something stand at the right, the active one in brackets and reversed."""

    class Turned(Message):
        """A pane was chosen."""

        def __init__(self, pane: str) -> None:
            """Its name."""
            super().__init__()
            self.pane = pane

    def __init__(self) -> None:
        """Shows the name of the program alone."""
        super().__init__(id="header")
        self._text = "tdbg"
        self._panes: tuple[str, ...] = ()
        self._active = ""

    def say(self, text: str) -> None:
        """Says something at the left."""
        self._text = text
        self.refresh()

    def offer(self, panes: tuple[str, ...], active: str) -> None:
        """Which panes show something, and which of them keys move in."""
        self._panes, self._active = panes, active
        self.refresh()

    @property
    def tabs(self) -> list[Tab]:
        """The panes in the order of their keys, from left to right."""
        begin = self.size.width
        tabs: list[Tab] = []
        for key, (pane, heading) in reversed(list(enumerate(HEADINGS.items(), 2))):
            if pane in self._panes:
                label = f"[F{key} {heading}]" if pane == self._active else f" F{key} {heading} "
                tabs.append(Tab(pane, label, begin - cell_len(label), begin))
                begin -= cell_len(label)
        return tabs[::-1]

    def render(self) -> Text:
        """See `Widget`."""
        tabs = self.tabs
        room = max((tabs[0].begin if tabs else self.size.width) - 2, 0)
        text = Text(f" {shortened(escaped(self._text), room)} ", no_wrap=True, end="")
        for tab in tabs:
            text.append(tab.label, Look(reverse=tab.pane == self._active))
        return text

    def on_click(self, event: events.Click) -> None:
        """Turns to the pane that was clicked."""
        event.stop()
        for tab in self.tabs:
            if tab.begin <= event.x < tab.end:
                self.post_message(self.Turned(tab.pane))


def shortened(text: str, width: int) -> str:
    """A text in exactly so many columns, with a sign where it does not fit."""
    return set_cell_size(text, width) if cell_len(text) <= width else f"{set_cell_size(text, max(width - 1, 0))}…"
