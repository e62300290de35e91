"""A pane of the screen: a page, its links by keys and by the mouse."""

from __future__ import annotations

from textual import events
from textual.message import Message

from tensordbg.console.fullscreen import links
from tensordbg.console.fullscreen.links import Link
from tensordbg.console.fullscreen.page_view import PageView

_BETWEEN_LINKS = {"up", "down", "left", "right"}


class Pane(PageView, can_focus=False):
    """Shows a page of which links can be followed."""

    class Follow(Message):
        """A link was clicked."""

        def __init__(self, command: str) -> None:
            """The line that it types."""
            super().__init__()
            self.command = command

    class Clicked(Message):
        """The pane was clicked, wherever."""

        def __init__(self, pane: str) -> None:
            """Its name."""
            super().__init__()
            self.pane = pane

    @property
    def chosen_command(self) -> str:
        """The command that Enter types; empty where no link is chosen."""
        return self._command(self.sight.chosen)

    @property
    def touched_command(self) -> str:
        """The command that a click types; empty where the mouse is on no link."""
        return self._command(self.sight.touched)

    def _command(self, link: Link | None) -> str:
        return "" if link is None else links.command_of(self.page, link)

    def walk(self, way: str) -> None:
        """Goes to another link; where none is chosen, arrows scroll."""
        if way in {"next", "previous"} or (self.sight.chosen is not None and way in _BETWEEN_LINKS):
            self._choose(self._reached(way))
        else:
            self.scroll_by_key(way)

    def _reached(self, way: str) -> Link | None:
        page, chosen = self.page, self.sight.chosen
        if chosen is None or not (chosen.line < self.head or self.top <= chosen.line < self.bottom):
            return links.following(page, self.top) if way == "next" else links.preceding(page, self.bottom)
        if way == "up":
            return links.above(page, chosen)
        if way == "down":
            return links.below(page, chosen)
        if way in {"next", "right"}:
            return links.following(page, chosen.line, chosen.span)
        return links.preceding(page, chosen.line, chosen.span)

    def _choose(self, link: Link | None) -> None:
        if link is None:
            return
        self.look(chosen=link)
        line = self.page.lines(link.line, link.line + 1)[0]
        if link.line >= self.head:
            self.bring(link.line, *links.columns_of(line, link))

    def _link_under(self, event: events.MouseEvent) -> Link | None:
        offset = event.get_content_offset(self)
        if offset is None:
            return None
        number = self.number_at(offset.y)
        line = self.line(number)
        return None if line is None else links.link_at(line, number, offset.x + self.scroll_offset.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Shows what a click would do."""
        touched = self._link_under(event)
        if touched != self.sight.touched:
            self.look(touched=touched)

    def on_leave(self) -> None:
        """The mouse is elsewhere."""
        if self.sight.touched is not None:
            self.look(touched=None)

    def on_click(self, event: events.Click) -> None:
        """Follows the link, if there is one."""
        event.stop()
        self.post_message(self.Clicked(self.id or ""))
        command = self._command(self._link_under(event))
        if command:
            self.post_message(self.Follow(command))
