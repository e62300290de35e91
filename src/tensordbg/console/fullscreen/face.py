"""The full-screen console as a face: opened at each stop of the program, closed before it goes on."""

from __future__ import annotations

import sys

from tensordbg.console.console import Console, Face
from tensordbg.console.running import Go, GoKind


class FullScreen:
    """Talks with the user on the whole terminal; where that fails, goes on as another face does."""

    def __init__(self, otherwise: Face) -> None:
        """Takes the face that goes on where the screen fails: the plain prompt."""
        self._otherwise = otherwise
        self._failed = False
        self._mouse: bool | None = None
        """Whether the mouse is taken, as it was when the screen was closed last."""

    def converse(self, console: Console) -> Go:
        """See `Face`."""
        if not self._failed:
            try:
                return self._show(console)
            except Exception as error:  # noqa: BLE001 - whatever goes wrong here must not end the user's program
                self._failed = True
                message = f"tdbg: the full screen failed ({type(error).__name__}: {error}); the plain prompt goes on"
                print(message, file=sys.stderr)
        return self._otherwise.converse(console)

    def _show(self, console: Console) -> Go:
        # Textual is imported when a screen is opened, and only then: it takes a while.
        from tensordbg.console.fullscreen.application import ConsoleScreen
        from tensordbg.console.fullscreen.terminal import borrowed_terminal, end_in_order

        screen = ConsoleScreen(console, self._mouse)
        with borrowed_terminal() as loop:
            end_in_order(loop, lambda: screen.exit(Go(GoKind.EXIT)))
            go = screen.run(loop=loop)
        self._mouse = screen.takes_mouse
        screen.print_what_was_held()
        if screen.failure is not None:
            raise screen.failure
        return go or Go(GoKind.EXIT)
