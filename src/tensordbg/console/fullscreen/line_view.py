"""Draws the lines of a page that are in sight, and only those, so that a page of any length scrolls without a wait."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tensordbg.console.fullscreen.drawing import Emphasis, draw, width_of, window
from tensordbg.console.fullscreen.links import Link
from tensordbg.console.pages.page import FixedLines, Line, Page

_SIDEWAYS = 8
"""So many columns does an arrow key go."""


@dataclass(frozen=True)
class Sight:
    """The parts that stand out in the page that is shown."""

    chosen: Link | None = None
    """The link that Enter follows."""
    touched: Link | None = None
    """The link under the mouse."""
    pattern: re.Pattern[str] | None = None
    """What was searched for."""
    marked: int | None = None
    """The line that was gone to."""


class LineView(ScrollView, can_focus=False):
    """Lines that scroll below their headings."""

    class Moved(Message):
        """Something else is in sight, or stands out."""

    def __init__(self, name: str) -> None:
        """Has no lines yet; the name is its identity on the screen."""
        super().__init__(id=name, classes="empty")
        self.page = Page("", FixedLines(()))
        """The page as it is drawn."""
        self.sight = Sight()
        self._fetched: tuple[int, Sequence[Line]] = (0, ())
        """Lines that are drawn together, and the number of the first."""

    def draw_page(self, page: Page) -> None:
        """Draws another page, or the same one where it has changed."""
        self.page = page
        self._fetched = (0, ())
        self.virtual_size = Size(0, len(page))
        self.look_again()

    @property
    def room(self) -> Size:
        """The columns and rows that lines are drawn in, beside the scroll bar."""
        return self.scrollable_content_region.size

    @property
    def head(self) -> int:
        """So many headings stay at the top; none where they would fill the pane."""
        return self.page.head if self.page.head * 2 <= self.room.height else 0

    @property
    def top(self) -> int:
        """The first line in sight below the headings."""
        return self.scroll_offset.y + self.head

    @property
    def bottom(self) -> int:
        """The line after the last in sight."""
        return min(self.scroll_offset.y + self.room.height, len(self.page))

    def number_at(self, row: int) -> int:
        """The number of the line that is drawn in a row."""
        return row if row < self.head else self.scroll_offset.y + row

    def line(self, number: int) -> Line | None:
        """A line, None behind the last; those that are drawn with it are fetched with it."""
        if number >= len(self.page):
            return None
        if number < self.head:
            return self.page.lines(number, number + 1)[0]
        begin, lines = self._fetched
        if not begin <= number < begin + len(lines):
            begin = self.scroll_offset.y
            lines = self.page.lines(begin, begin + self.room.height)
            self._fetched = (begin, lines)
        return lines[number - begin] if begin <= number < begin + len(lines) else None

    def render_line(self, y: int) -> Strip:
        """See `ScrollView`."""
        width = self.room.width
        number = self.number_at(y)
        line = self.line(number)
        if line is None:
            return Strip.blank(width, self.rich_style)
        strip = draw(line, self._emphasis(number), self.app.console)
        return window(strip, self.scroll_offset.x, width).apply_style(self.rich_style)

    def _emphasis(self, number: int) -> Emphasis:
        sight = self.sight
        standing = (link for link in (sight.touched, sight.chosen) if link is not None and link.line == number)
        return Emphasis(
            chosen=next((link.span for link in standing), None),
            pattern=sight.pattern,
            marked=sight.marked == number,
        )

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """See `ScrollView`."""
        super().watch_scroll_y(old_value, new_value)
        self.look_again()

    def look_again(self) -> None:
        """Draws anew what may be in sight now."""
        self.call_after_refresh(self._widen)
        self.post_message(self.Moved())
        self.refresh()

    def _widen(self) -> None:
        """Makes the page as wide as the widest line that was in sight, so that one can scroll to its end."""
        lines = (self.line(number) for number in range(self.top, self.bottom))
        widest = max((width_of(line) for line in lines if line is not None), default=0)
        if widest > self.virtual_size.width:
            self.virtual_size = Size(widest, len(self.page))

    def look(self, **changes: Any) -> None:
        """Changes what stands out; see `Sight`."""
        self.sight = replace(self.sight, **changes)
        self.post_message(self.Moved())
        self.refresh()

    def bring(self, number: int, begin: int, end: int) -> None:
        """Scrolls, if needed, so that some columns of a line are in sight."""
        x, y = self.scroll_offset
        if not self.top <= number < self.bottom:
            y = max(number - self.head - (self.room.height - self.head) // 3, 0)
        if not x <= begin <= end <= x + self.room.width:
            x = max(end - self.room.width + 2, 0)
        self.scroll_to(x, y, animate=False, force=True)

    def scroll_by_key(self, way: str) -> None:
        """Scrolls up, down, left, right, page_up, page_down, home or end."""
        rows = max(self.room.height - self.head - 1, 1)
        x, y = self.scroll_offset
        target = {
            "left": (x - _SIDEWAYS, y),
            "right": (x + _SIDEWAYS, y),
            "up": (x, y - 1),
            "down": (x, y + 1),
            "page_up": (x, y - rows),
            "page_down": (x, y + rows),
            "home": (0, 0),
            "end": (x, self.max_scroll_y),
        }[way]
        self.scroll_to(*target, animate=False, force=True)
