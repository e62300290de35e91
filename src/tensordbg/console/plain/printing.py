"""Prints pages: whole where the output is a file or a pipe, a screenful at a time on a terminal."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from typing import TextIO

from tensordbg.console.pages.page import Line, Page, Span, Style, plain
from tensordbg.controls import escaped

_AT_ONCE = 1000
_FOUND = 10
"""Of a page that something was searched in, so many lines are printed into a file or a pipe."""

_CODES: Mapping[Style, str] = {
    "title": "1", "heading": "1", "bad": "1;31", "good": "32", "dim": "2", "bold": "1", "highlight": "7", "link": "36",
}  # fmt: skip
_MARKED = "30;43"


class Printer:
    """Prints on one stream."""

    def __init__(self, stream: TextIO, paged: bool) -> None:
        """Paged means a screenful at a time."""
        self._stream = stream
        self._paged = paged
        self._colours = stream.isatty() and not os.environ.get("NO_COLOR")
        self._page: Page | None = None
        self._begin = 0
        self._end = 0

    def show(self, page: Page) -> None:
        """Prints a page from its first line on, or from where it is to be shown."""
        self._page = page
        if page.title:
            self._print((Span(page.title, "bad" if page.mood else "title"),), None)
        if self._paged:
            self._screen(page, page.start)
        elif page.start or page.found:
            self._lines(page, page.start, min(page.start + _FOUND, len(page)))
        else:
            for begin in range(0, len(page), _AT_ONCE):
                self._lines(page, begin, begin + _AT_ONCE)
        self._stream.flush()

    def more(self) -> None:
        """Prints the next screenful of the page shown last."""
        if self._page is not None and self._end < len(self._page):
            self._screen(self._page, self._end)

    def less(self) -> None:
        """Prints the screenful before."""
        if self._page is not None and self._begin > 0:
            self._screen(self._page, max(self._begin - self._room(self._page), 0))

    def say(self, text: str) -> None:
        """Prints one line."""
        self._stream.write(f"{escaped(text)}\n")
        self._stream.flush()

    def _room(self, page: Page) -> int:
        """How many lines fit on the screen below the heading and above the prompt."""
        return max(shutil.get_terminal_size().lines - 4 - page.head, 5)

    def _screen(self, page: Page, begin: int) -> None:
        if page.head and begin:
            self._lines(page, 0, page.head)
        self._begin, self._end = begin, begin + self._fitting(page, begin)
        self._lines(page, self._begin, self._end)
        if self._end < len(page):
            said = f"--- lines {self._begin + 1:,} to {self._end:,} of {len(page):,}; Enter shows more, - goes back ---"
            self._print((Span(said, "dim"),), None)
        self._stream.flush()

    def _fitting(self, page: Page, begin: int) -> int:
        """How many lines from one on fit; a long one takes several rows of the terminal. One is shown at least."""
        room, width = self._room(page), max(shutil.get_terminal_size().columns, 1)
        used = 0
        for number, line in enumerate(page.lines(begin, begin + room)):
            used += max(-(-len(plain(line).rstrip()) // width), 1)
            if used > room:
                return max(number, 1)
        return min(room, len(page) - begin)

    def _lines(self, page: Page, begin: int, end: int) -> None:
        for line in page.lines(begin, end):
            self._print(line, page.found)

    def _print(self, line: Line, found: re.Pattern[str] | None) -> None:
        if not self._colours:
            self._stream.write("".join(span.text for span in line).rstrip() + "\n")
            return
        self._stream.write("".join(self._coloured(span, found) for span in line) + "\n")

    def _coloured(self, span: Span, found: re.Pattern[str] | None) -> str:
        code = _CODES.get(span.style, "")
        if found is not None and found.pattern and found.search(span.text):
            code = _MARKED
        return f"\033[{code}m{span.text}\033[0m" if code else span.text
