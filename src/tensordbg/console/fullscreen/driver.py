"""The terminal below the screen, found also where the program's output or errors go elsewhere (`2> log`)."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING

from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from textual.app import App


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

    def _get_terminal_size(self) -> tuple[int, int]:
        size = os.get_terminal_size(self._terminal)
        return size.columns or 80, size.lines or 24
