"""Where the lines come from: a prompt with history and completion, or the standard input as it is."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING, Protocol, TextIO

from tensordbg.controls import escaped

if TYPE_CHECKING:
    from tensordbg.console.console import Console
    from tensordbg.console.plain.prompt import Ask


class LineReader(Protocol):
    """Gives a line after the other."""

    def read(self, console: Console) -> str | None:
        """The next line; None at the end of the input.

        Raises:
            KeyboardInterrupt: If the user gave the line up.
        """


class StreamLines:
    """The lines of a file or a pipe; each is printed too, so that what is written tells what was asked."""

    def __init__(self, stream: TextIO, out: TextIO) -> None:
        """Reads one and writes the other."""
        self._stream = stream
        self._out = out

    def read(self, console: Console) -> str | None:
        """See `LineReader`."""
        line = self._stream.readline()
        if not line:
            return None
        self._out.write(f"{console.prompt}{escaped(line.rstrip())}\n")
        return line.rstrip("\n")


class DumbLines:
    """The lines of a terminal that can't move its cursor."""

    def read(self, console: Console) -> str | None:
        """See `LineReader`."""
        try:
            return input(console.prompt)
        except EOFError:
            return None


class PromptLines:
    """The lines of a terminal, with the lines that were typed before and with completion."""

    def __init__(self) -> None:
        """Nothing is asked yet."""
        self._ask: Ask | None = None

    def read(self, console: Console) -> str | None:
        """See `LineReader`."""
        from tensordbg.console.plain.prompt import prompt_of

        if self._ask is None:
            self._ask = prompt_of(console)
        try:
            return self._ask(in_thread=_is_running())
        except EOFError:
            return None


def line_reader() -> LineReader:
    """Makes the reader of lines that fits the terminal, if there is one."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return StreamLines(sys.stdin, sys.stdout)
    return DumbLines() if os.environ.get("TERM", "dumb") in {"", "dumb"} else PromptLines()


def _is_running() -> bool:
    """Whether the program that stands still runs a loop of events in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
