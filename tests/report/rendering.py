"""Renders what reports make, for the tests."""

from __future__ import annotations

import io

from rich.console import Console, RenderableType


def rendered(what: RenderableType, width: int = 200) -> list[str]:
    """The lines without trailing blanks."""
    stream = io.StringIO()
    Console(file=stream, width=width, markup=False, emoji=False, highlight=False).print(what)
    return [line.rstrip() for line in stream.getvalue().splitlines()]
