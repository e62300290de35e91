"""The memory of the console: the lines that were typed, also in earlier sessions, and the last pages."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from tensordbg.console.pages.page import Page

MOST_LINES = 1000
MOST_PAGES = 50


class TypedLines:
    """The lines that were typed, in a file."""

    def __init__(self, path: Path | None) -> None:
        """Reads those of earlier sessions; without a file they are remembered for this one only."""
        self._path = path
        self._known: list[str] = []
        if path is not None:
            with suppress(OSError, UnicodeDecodeError):
                self._known = path.read_text("utf-8").splitlines()[-MOST_LINES:]

    @property
    def all(self) -> tuple[str, ...]:
        """The oldest first."""
        return tuple(self._known)

    def add(self, line: str) -> None:
        """Remembers a line, unless it is the last one again; that it can't be written down is passed over."""
        if not line.strip() or self._known[-1:] == [line]:
            return
        self._known = [*self._known, line][-MOST_LINES:]
        if self._path is not None:
            with suppress(OSError):
                self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                # Another session may have added to it.
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(f"{line}\n")
                self._shorten(self._path)

    @staticmethod
    def _shorten(path: Path) -> None:
        lines = path.read_text("utf-8").splitlines()
        if len(lines) > 2 * MOST_LINES:
            path.write_text("\n".join(lines[-MOST_LINES:]) + "\n", "utf-8")


class SeenPages:
    """The last pages, and which of them is shown."""

    def __init__(self) -> None:
        """Nothing was shown yet."""
        self._pages: list[Page] = []
        self._place = -1

    @property
    def shown(self) -> Page | None:
        """The page that is shown, None before the first."""
        return self._pages[self._place] if self._pages else None

    @property
    def place(self) -> tuple[int, int]:
        """How many pages there are before the one shown, and behind it."""
        return max(self._place, 0), max(len(self._pages) - self._place - 1, 0)

    def add(self, page: Page) -> None:
        """Shows a page; it becomes the last."""
        self._pages = [*self._pages, page][-MOST_PAGES:]
        self._place = len(self._pages) - 1

    def move(self, by: int) -> Page | None:
        """Shows the page so many places on, or before; None where there is none."""
        if not 0 <= self._place + by < len(self._pages):
            return None
        self._place += by
        return self._pages[self._place]

    def replace(self, page: Page) -> None:
        """Shows another page in place of the one shown, such as the same at another line."""
        self._pages[self._place] = page
