"""The plain prompt: a line is typed, a page is printed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TextIO

from tensordbg.console.console import Console
from tensordbg.console.plain.printing import Printer
from tensordbg.console.plain.reading import LineReader, line_reader
from tensordbg.console.running import Go, GoKind
from tensordbg.errors import TensordbgError


class PlainFace:
    """Talks with the user line by line."""

    def __init__(self, reader: LineReader | None = None, out: TextIO | None = None) -> None:
        """By default with the terminal, or what stands in its place."""
        self._reader = reader or line_reader()
        stream = out or sys.stdout
        self._printer = Printer(stream, paged=stream.isatty() and sys.stdin.isatty())

    def converse(self, console: Console) -> Go:
        """See `Face`."""
        self._attempt(lambda: self._printer.show(console.opening()))
        while True:
            try:
                line = self._reader.read(console)
            except KeyboardInterrupt:
                continue
            if line is None:
                return Go(GoKind.EXIT)
            go = self._answered(console, line)
            if go is not None:
                return go

    def _answered(self, console: Console, line: str) -> Go | None:
        """Answers one line; how to go on, where it says so."""
        if not line.strip():
            self._printer.more()
            return None
        if line.strip() == "-":
            self._printer.less()
            return None
        found: list[Go] = []

        def show() -> None:
            answer = console.answer(line)
            if answer.page is not None:
                self._printer.show(answer.page)
            if answer.go is not None:
                found.append(answer.go)

        self._attempt(show)
        return found[0] if found else None

    @staticmethod
    def _attempt(show: Callable[[], None]) -> None:
        """Does something; what it can't do is said in one line."""
        try:
            show()
        except TensordbgError as error:
            sys.stdout.flush()
            print(f"error: {' '.join(str(error).split())}", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr, flush=True)
