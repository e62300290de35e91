"""The terminal below the screen, found also where the program's output or errors go elsewhere (`2> log`)."""

from __future__ import annotations

import asyncio
import os
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING

from textual import events
from textual.drivers.linux_driver import LinuxDriver
from textual.geometry import Size

from tensordbg.console.fullscreen.handlers import in_main_thread

if TYPE_CHECKING:
    from textual.app import App


_SECONDS = 0.2
"""So often the size is looked at where no signal tells of it."""


def find_terminal() -> TextIOWrapper:
    """Where the screen is drawn: the first of the standard streams that is a terminal, else the one we belong to.

    Raises:
        OSError: If there is none.
    """
    for stream in (sys.__stderr__, sys.__stdout__):
        if stream is not None and not stream.closed and stream.isatty():
            return stream
    return open("/dev/tty", "w", encoding="utf-8")  # noqa: PTH123 - a device, no path


class TerminalDriver(LinuxDriver):
    """Textual's own draws on standard error and asks standard output for the size, wherever they go."""

    def __init__(
        self, app: App[object], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        """See `LinuxDriver`."""
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        terminal = find_terminal()
        self._file = terminal
        self._terminal = terminal.fileno()
        self._watching: asyncio.Task[None] | None = None

    @property
    def can_suspend(self) -> bool:
        """See `LinuxDriver`; without handlers of signals nothing would put the terminal back."""
        return in_main_thread()

    def start_application_mode(self) -> None:
        """See `LinuxDriver`."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if not in_main_thread():
            self._watching = asyncio.get_running_loop().create_task(self._watch_size())

    def stop_application_mode(self) -> None:
        """See `LinuxDriver`."""
        if self._watching is not None:
            self._watching.cancel()
        super().stop_application_mode()

    async def _watch_size(self) -> None:
        known = self._get_terminal_size()
        while True:
            await asyncio.sleep(_SECONDS)
            if self._get_terminal_size() != known:
                known = self._get_terminal_size()
                size = Size(*known)
                self._app.post_message(events.Resize(size, size))

    def _get_terminal_size(self) -> tuple[int, int]:
        size = os.get_terminal_size(self._terminal)
        return size.columns or 80, size.lines or 24
