"""The texts around the panes: where the program stands and the counts above, the place in the page below."""

from __future__ import annotations

from textual.widgets import Static

from tensordbg.console.console import Console
from tensordbg.console.fullscreen.header import shortened
from tensordbg.console.fullscreen.pane import Pane
from tensordbg.console.pages.remembered import SeenPages
from tensordbg.console.running import Stop, StopKind

_STANDS = {
    StopKind.BEFORE: "before",
    StopKind.AFTER: "after",
    StopKind.ERROR: "error in",
    StopKind.END: "ended after",
}


class StatusLine(Static):
    """The status: what goes wrong or on, else the place in the page; at the right what never changes place."""

    def __init__(self) -> None:
        """Says nothing yet."""
        super().__init__(id="status", markup=False)
        self._message = ""

    def tell(self, text: str) -> None:
        """Says something until something else is said; an empty text gives room to the place."""
        self._message = text
        self.set_class(bool(text), "told")
        self.remove_class("bad")

    def refuse(self, reason: str) -> None:
        """Says why there is no answer."""
        self.tell(reason)
        self.add_class("bad")

    def settle(self) -> None:
        """Ends what went on; a refusal stays."""
        if not self.has_class("bad"):
            self.tell("")

    def report(self, pane: Pane, right: str) -> None:
        """Draws the line."""
        left = self._message or place(pane)
        room = max(self.content_size.width - len(right) - 2, 0)
        # What was refused is worth more than the hints.
        self.update(left if len(left) > room and self._message else f"{shortened(left, room)}  {right}")


def header(console: Console) -> str:
    """The trace, where the program stands, and how much was recorded."""
    opened = console.opened
    bad = int(opened.bad.count.sum()) if opened.event_count else 0
    counts = f"{opened.event_count:,} tensors, {bad:,} non-finite" if bad else f"{opened.event_count:,} tensors"
    where = _standing(console.runner.stop) if console.runner is not None else console.folder.name
    return f"tdbg  {where}  {counts}"


def _standing(stop: Stop) -> str:
    if stop.at is not None:
        return f"{_STANDS[stop.kind]} {stop.at.operation}{f' in {stop.at.function}' if stop.at.function else ''}"
    return f"{_STANDS[stop.kind]} run {stop.run}: {stop.call}"


def place(pane: Pane) -> str:
    """Which lines of the page are in sight, or what Enter or a click would type."""
    if pane.touched_command:
        return f"click: {pane.touched_command}"
    if pane.chosen_command:
        return f"Enter: {pane.chosen_command}"
    count = len(pane.page) - pane.head
    if pane.max_scroll_y <= 0:
        return f"{count:,} lines" if count != 1 else "1 line"
    part = 100 * pane.scroll_offset.y / pane.max_scroll_y
    return f"lines {pane.top - pane.head + 1:,}-{pane.bottom - pane.head:,} of {count:,}  {part:.0f}%"


def hints(pages: SeenPages, *, mouse: bool) -> str:
    """The hints at the right: pages before and after, whether the mouse is taken, where the keys are listed."""
    before, after = pages.place
    turns = f"Alt+\u2190 {before}  " * bool(before) + f"Alt+\u2192 {after}  " * bool(after)
    return f"{turns}mouse {'on' if mouse else 'off'}  F1 keys"
