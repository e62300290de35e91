"""The line where commands are typed, with completion and the lines before; while it is empty, keys are for the pane."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from tensordbg.console.completion import Completion
from tensordbg.console.fullscreen.candidates import common_begin


class CommandLine(Input):
    """Keeps the keyboard all the time; what it has no use for goes to the screen as a `Walk`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "earlier", show=False),
        Binding("down", "later", show=False),
        Binding("ctrl+p", "earlier", show=False),
        Binding("ctrl+n", "later", show=False),
        Binding("left", "to_left", show=False),
        Binding("right", "to_right", show=False),
        Binding("home,ctrl+a", "to_begin", show=False),
        Binding("end,ctrl+e", "to_end", show=False),
        Binding("tab", "complete", show=False),
        Binding("shift+tab", "walk('previous')", show=False),
        # What was typed before the screen was open: the terminal has made another sign of Enter.
        Binding("ctrl+j", "submit", show=False),
        Binding("ctrl+c", "give_up", show=False),
        Binding("ctrl+d", "end_of_input", show=False),
        Binding("escape", "give_up", show=False),
    ]

    class Entered(Message):
        """A line was entered, which may be empty."""

        def __init__(self, line: str) -> None:
            """Without blanks at its ends."""
            super().__init__()
            self.line = line

    class Walk(Message):
        """A key for the pane."""

        def __init__(self, way: str) -> None:
            """Where to: left, right, up, down, home, end, next, previous."""
            super().__init__()
            self.way = way

    class Candidates(Message):
        """Several words may stand at the cursor; none where that is over."""

        def __init__(self, words: Sequence[str]) -> None:
            """All of them, the likeliest first."""
            super().__init__()
            self.words = words

    class GiveUp(Message):
        """Escape or Ctrl-C on an empty line."""

    class EndOfInput(Message):
        """Ctrl-D on an empty line."""

    def __init__(self, complete: Callable[[str, int], Completion], typed: Sequence[str]) -> None:
        """Takes the source of candidates, and the lines typed before."""
        super().__init__(compact=True, select_on_focus=False, id="command")
        self.cursor_blink = False
        self._complete = complete
        self._typed = list(typed)
        self._place = len(self._typed)
        self._draft = ""
        self.walking = False
        """Whether a link is chosen: then the arrows go from link to link."""

    def remember(self, line: str) -> None:
        """Puts a line that was entered among those typed."""
        if line and (not self._typed or self._typed[-1] != line):
            self._typed.append(line)
        self._place, self._draft = len(self._typed), ""

    async def on_key(self, event: events.Key) -> None:
        """Does what a key is bound to at once; Textual would do it later, after letters that were typed behind it."""
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            if await self.app.run_action(binding.action, self):
                event.stop()
                event.prevent_default()

    async def action_submit(self) -> None:
        """Hands the line out and empties it at once: the next one may be typed already."""
        line = self.value.strip()
        self.value = ""
        self.post_message(self.Entered(line))

    def write(self, line: str) -> None:
        """Puts a text in the line, to go on typing behind it."""
        self.value = line
        self.cursor_position = len(line)

    def action_earlier(self) -> None:
        """The line typed before that begins as this one did; between links, the one above."""
        if self.walking and not self.value:
            self.post_message(self.Walk("up"))
            return
        self._recall(range(self._place - 1, -1, -1))

    def action_later(self) -> None:
        """The line typed after; between links, the one below."""
        if self.walking and not self.value:
            self.post_message(self.Walk("down"))
            return
        self._recall(range(self._place + 1, len(self._typed)))

    def _recall(self, places: range) -> None:
        if self._place == len(self._typed):
            self._draft = self.value
        found = next((place for place in places if self._typed[place].startswith(self._draft)), None)
        if found is not None:
            self._place = found
            self.write(self._typed[found])
        elif places.step > 0:
            self._place = len(self._typed)
            self.write(self._draft)

    def action_to_left(self) -> None:
        """One sign to the left; on an empty line, the pane goes there."""
        self._either("left", self.action_cursor_left)

    def action_to_right(self) -> None:
        """One sign to the right; on an empty line, the pane goes there."""
        self._either("right", self.action_cursor_right)

    def action_to_begin(self) -> None:
        """The begin of the line; on an empty line, that of the page."""
        self._either("home", self.action_home)

    def action_to_end(self) -> None:
        """The end of the line; on an empty line, that of the page."""
        self._either("end", self.action_end)

    def action_walk(self, way: str) -> None:
        """A key for the pane."""
        self.post_message(self.Walk(way))

    def _either(self, way: str, edit: Callable[[], None]) -> None:
        if self.value:
            edit()
        else:
            self.action_walk(way)

    def action_complete(self) -> None:
        """Completes the word at the cursor as far as the candidates agree; on an empty line, goes to the next link."""
        if not self.value:
            self.action_walk("next")
            return
        completion = self._complete(self.value, self.cursor_position)
        words = completion.candidates
        typed = self.value[completion.begin : self.cursor_position]
        agreed = common_begin(words) if words else typed
        if len(words) == 1:
            agreed += "" if agreed.endswith(("/", ":", "[")) else " "
        if len(agreed) > len(typed) or len(words) == 1:
            self.replace(agreed, completion.begin, self.cursor_position)
        self.post_message(self.Candidates(words if len(words) > 1 else ()))

    def action_give_up(self) -> None:
        """Empties the line; on an empty one, gives up what goes on."""
        if not self.value:
            self.post_message(self.GiveUp())
        self.value = ""
        self.remember("")

    def action_end_of_input(self) -> None:
        """Deletes a sign; on an empty line, ends the conversation."""
        if self.value:
            self.action_delete_right()
        else:
            self.post_message(self.EndOfInput())
