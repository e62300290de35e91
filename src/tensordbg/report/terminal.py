"""A `rich` console on which names from a trace are shown as they are: no markup, no control characters."""

from __future__ import annotations

from typing import Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.segment import Segment

from tensordbg.controls import escaped


class Escaped:
    """Something to print, whose text is shown with escapes in the place of control characters."""

    def __init__(self, inside: RenderableType) -> None:
        """Takes what is to be printed."""
        self._inside = inside

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._inside, options):
            yield segment if segment.control else Segment(escaped(segment.text), segment.style)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self._inside)


class PlainConsole(Console):
    """A console that takes nothing in a text for markup, an emoji or an order to the terminal."""

    def __init__(self, stream: TextIO, width: int | None = None, **options: Any) -> None:
        """Prints on a stream.

        Args:
            stream: A file or a terminal.
            width: The columns; None for those of the terminal.
            options: See `rich.console.Console`.
        """
        # In a notebook rich would show the text itself, and write nothing.
        options["force_jupyter"] = False
        super().__init__(file=stream, width=width, markup=False, emoji=False, highlight=False, **options)

    def print(self, *objects: Any, **options: Any) -> None:
        """See `rich.console.Console`."""
        super().print(*map(Escaped, objects), **options)
