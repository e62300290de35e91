"""Shows pages in turn: each as it was left, or from the line that it wants to be seen first."""

from __future__ import annotations

from tensordbg.console.fullscreen.folding import Folding, fold
from tensordbg.console.fullscreen.line_view import LineView, Sight
from tensordbg.console.pages.page import Page


class PageView(LineView, can_focus=False):
    """Shows one page at a time."""

    folds = False
    """Whether long lines of texts are broken."""

    def __init__(self, name: str, heading: str) -> None:
        """Shows nothing yet.

        Args:
            name: Its identity on the screen.
            heading: What kind of page is shown here.
        """
        super().__init__(name)
        self.heading = heading
        self.whole_page: Page | None = None
        """The page, as the console gave it; None before the first."""
        self._folding = Folding(self.page)
        self._left: dict[int, tuple[Page, int]] = {}
        """Of pages that were shown before, the line at the top, by identity."""

    def show(self, page: Page, mark: int | None = None) -> None:
        """Shows a page, and a line of it that stands out."""
        before, self.whole_page = self.whole_page, page
        if before is not None:
            self._left[id(before)] = before, self._folding.line_of(self.scroll_offset.y)
        self.remove_class("empty")
        # A pane that was hidden has a size only after the next layout.
        if before is not None and before.body is page.body:
            self.call_after_refresh(self._go_on, page)
        else:
            self.call_after_refresh(self._begin, page)
        if mark is not None:
            self.call_after_refresh(self._mark, mark)

    def _go_on(self, page: Page) -> None:
        """Shows another line of the page that is shown."""
        self._fold(page)
        self.look(pattern=page.found, marked=self.page.start, chosen=None)
        self.bring(self.page.start, 0, 0)

    def _begin(self, page: Page) -> None:
        self._fold(page)
        self.sight = Sight(pattern=page.found, marked=None if page.found is None else self.page.start)
        _, line = self._left.get(id(page), (page, max(page.start - page.head, 0)))
        self.scroll_to(0, self._folding.row_of(line), animate=False, force=True)

    def _mark(self, line: int) -> None:
        row = self._folding.row_of(line)
        self.look(marked=row)
        self.bring(row, 0, 0)

    def _fold(self, page: Page) -> None:
        self.set_class(page.mood == "bad", "bad")
        self.border_title = f"{self.heading}: {page.title.rstrip(':') or page.command}"
        # One column is kept for the scroll bar, whether or not it is needed.
        self._folding = fold(page, self.size.width - 1) if self.folds else Folding(page)
        self.draw_page(self._folding.page)

    def on_resize(self) -> None:
        """Other lines are in sight, and those of a text are broken elsewhere."""
        if self.whole_page is None:
            return
        line = self._folding.line_of(self.scroll_offset.y)
        self._fold(self.whole_page)
        self.scroll_to(y=self._folding.row_of(line), animate=False, force=True)
