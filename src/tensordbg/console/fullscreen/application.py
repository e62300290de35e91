"""The screen: shows what the console answers, and gives it what is typed, chosen or clicked."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Label

from tensordbg.console.console import Console
from tensordbg.console.fullscreen.answering import (
    Accompanied,
    Done,
    Refused,
    Say,
    Shown,
    Went,
    answer_line,
    open_conversation,
)
from tensordbg.console.fullscreen.candidates import Candidates
from tensordbg.console.fullscreen.command_line import CommandLine
from tensordbg.console.fullscreen.completing import complete_line
from tensordbg.console.fullscreen.driver import TerminalDriver
from tensordbg.console.fullscreen.header import Header
from tensordbg.console.fullscreen.keys import keys_page
from tensordbg.console.fullscreen.layout import ANSWER, HEADINGS, HEIGHTS, STYLE, WIDTHS
from tensordbg.console.fullscreen.menu import Menu, choices
from tensordbg.console.fullscreen.mouse import switch_mouse
from tensordbg.console.fullscreen.pane import Pane
from tensordbg.console.fullscreen.panes import Panes
from tensordbg.console.fullscreen.status import StatusLine, hints
from tensordbg.console.fullscreen.working import Job
from tensordbg.console.running import Go


class ConsoleScreen(App[Go]):
    """One conversation: from the opening page until a line says how the program goes on."""

    CSS = STYLE
    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "type('keys')", show=False),
        *(Binding(f"f{key}", f"turn_to('{pane}')", show=False) for key, pane in enumerate(HEADINGS, 2)),
        Binding("f5", "zoom", show=False),
        Binding("f6", "turn_on", show=False),
        Binding("pageup", "walk('page_up')", show=False),
        Binding("pagedown", "walk('page_down')", show=False),
        Binding("ctrl+home", "walk('home')", show=False),
        Binding("ctrl+end", "walk('end')", show=False),
        Binding("ctrl+up", "walk('up')", show=False),
        Binding("ctrl+down", "walk('down')", show=False),
        Binding("alt+left", "type('prev')", show=False),
        Binding("alt+right", "type('next')", show=False),
        *(Binding(f"alt+{number}", f"choose({number})", show=False) for number in range(1, 10)),
        Binding("ctrl+l", "redraw", show=False),
        Binding("ctrl+q", "type('exit')", show=False, priority=True),
    ]

    def __init__(self, console: Console, mouse: bool | None = None) -> None:
        """Shows nothing yet.

        Args:
            console: What answers.
            mouse: Whether the mouse is taken; by default as the user's settings say.
        """
        super().__init__(driver_class=TerminalDriver)
        self.failure: Exception | None = None
        """What ended the screen, if it was a fault of its own."""
        self.theme = "ansi-dark"
        self.animation_level = "none"
        self._console = console
        self._mouse_mode = console.settings.mouse_mode
        self.takes_mouse = self._mouse_mode if mouse is None else mouse
        """Whether the terminal reports the mouse to us."""
        self._job: Job | None = None
        self._waiting: list[str] = []
        """Lines that were entered while one was still answered."""
        self._held: list[tuple[str, bool]] = []
        self._header = Header()
        self._panes = Panes()
        self._candidates = Candidates()
        self._status = StatusLine()
        self._menu = Menu()
        self._command = CommandLine(partial(complete_line, console), console.lines)

    def compose(self) -> ComposeResult:
        """See `App`."""
        yield self._header
        yield self._panes
        yield self._candidates
        yield self._status
        yield self._menu
        with Horizontal(id="prompt"):
            yield Label(self._console.prompt, markup=False)
            yield self._command

    def on_mount(self) -> None:
        """Asks for the opening page."""
        self.begin_capture_print(self)
        if not self.takes_mouse:
            self._switch_mouse("off")
        self._command.focus()
        self._work("reading the trace", lambda say: open_conversation(self._console, say))

    # What is done beside the screen, one thing at a time.

    def _work(self, name: str, work: Callable[[Say], None]) -> None:
        self._status.tell(f"{name} ... Ctrl-C gives it up")
        self._job = Job(lambda: work(self.post_message), self._let_go)
        self._report()

    @property
    def busy(self) -> bool:
        """Whether a line is being answered."""
        return self._job is not None

    def _let_go(self) -> None:
        self.post_message(Refused("given up"))
        self.post_message(Done())

    @on(Shown)
    def _show(self, message: Shown) -> None:
        self._panes[message.pane].show(message.page)
        self.action_turn_to(message.pane)
        self._menu.offer(choices(message.page, self._console.runner))

    @on(Accompanied)
    def _show_beside(self, message: Accompanied) -> None:
        self._panes[message.pane].show(message.page, message.mark)
        self._report()

    @on(Refused)
    def _refuse(self, message: Refused) -> None:
        self._status.refuse(message.reason)

    @on(Done)
    def _finish(self, message: Done) -> None:
        self._job = None
        self._status.settle()
        if self._console.settings.mouse_mode != self._mouse_mode:
            self._mouse_mode = self._console.settings.mouse_mode
            self._switch_mouse("on" if self._mouse_mode else "off")
        if self._waiting:
            self.action_type(self._waiting.pop(0))
        if message.header:
            self._header.say(message.header)
        self._report()

    @on(Went)
    def _go(self, message: Went) -> None:
        self.exit(message.go)

    # What is typed and chosen.

    @on(CommandLine.Entered)
    def _enter(self, message: CommandLine.Entered) -> None:
        line = message.line or self._panes.active.chosen_command
        if line:
            self.action_type(line)

    @on(Pane.Follow)
    def _follow(self, message: Pane.Follow) -> None:
        self.action_type(message.command)

    @on(Menu.Chosen)
    def _choose(self, message: Menu.Chosen) -> None:
        self.action_type(message.command)

    def action_type(self, line: str) -> None:
        """Does what a line says, as if it had been typed; once the line before it is answered."""
        self._command.remember(line)
        word, *words = line.split()
        if self._job is not None:
            self._waiting.append(line)
        elif word in {"mouse", "m"}:
            self._switch_mouse(" ".join(words))
        elif word == "keys":
            self._console.pages.add(page := keys_page())
            self.post_message(Shown(page, ANSWER))
        else:
            seen = self._panes.active.whole_page
            self._work(line, lambda say: answer_line(self._console, line, seen, say))

    def action_choose(self, number: int) -> None:
        """Does what the menu has under a number."""
        self._menu.choose(number)

    @on(Input.Changed)
    def _forget_candidates(self) -> None:
        self._candidates.offer(())

    @on(CommandLine.Candidates)
    def _offer_candidates(self, message: CommandLine.Candidates) -> None:
        self._candidates.offer(message.words)

    @on(CommandLine.GiveUp)
    def _give_up(self) -> None:
        if self._job is not None:
            self._waiting.clear()
            self._job.give_up()
        else:
            self._panes.active.look(chosen=None, marked=None, pattern=None)
            self._status.tell("")

    @on(CommandLine.EndOfInput)
    def _end(self) -> None:
        self.action_type("exit")

    def _switch_mouse(self, word: str) -> None:
        wanted = {"on": True, "off": False}.get(word or ("off" if self.takes_mouse else "on"))
        if wanted is None:
            self._status.refuse(f"the mouse is never {word!r}; type `mouse on` or `mouse off`")
        elif self._driver is not None:
            self.takes_mouse = wanted
            switch_mouse(self._driver.write, wanted)
        self._report()

    # Moving about.

    @on(CommandLine.Walk)
    def _walk(self, message: CommandLine.Walk) -> None:
        self.action_walk(message.way)

    def action_walk(self, way: str) -> None:
        """Moves in the pane that is active."""
        self._panes.active.walk(way)

    @on(Header.Turned)
    @on(Pane.Clicked)
    def _turn(self, message: Header.Turned | Pane.Clicked) -> None:
        self.action_turn_to(message.pane)

    def action_turn_to(self, name: str) -> None:
        """Makes a pane the one that keys move in."""
        self._panes.turn_to(name)
        self._report()

    def action_turn_on(self) -> None:
        """Turns to the next pane."""
        self._panes.turn_on()
        self._report()

    def action_zoom(self) -> None:
        """Shows the active pane alone, or all again."""
        self._panes.zoom()

    def action_redraw(self) -> None:
        """Draws the screen anew, where something else wrote over it."""
        self.refresh(layout=True)

    @on(Pane.Moved)
    def _moved(self) -> None:
        self._command.walking = self._panes.active.sight.chosen is not None
        self._report()

    def on_resize(self) -> None:
        """The status line has another width."""
        self.call_after_refresh(self._report)

    def _report(self) -> None:
        active = self._panes.active
        self._header.offer(self._panes.filled, active.id or "")
        self._status.report(active, hints(self._console.pages, mouse=self.takes_mouse))

    # What the program is spared.

    def on_print(self, event: events.Print) -> None:
        """Holds what another thread of the program prints, which would spoil the screen."""
        self._held.append((event.text, event.stderr))

    def print_what_was_held(self) -> None:
        """Prints what was held while the screen was there."""
        for text, to_errors in self._held:
            print(text, end="", file=sys.stderr if to_errors else sys.stdout)
        self._held.clear()

    def _handle_exception(self, error: Exception) -> None:
        # Textual calls this for each fault of the screen, and prints a long traceback, which is not for our users.
        self.failure = self.failure or error
        super()._handle_exception(error)

    def _print_error_renderables(self) -> None:
        self._exit_renderables.clear()
