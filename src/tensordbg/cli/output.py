"""What commands print with: JSON, tables, and a sign on standard error that a large trace is being read."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from tensordbg.trace.reader import TraceReader

PATIENCE = 0.5
"""Seconds without a word before something is said to be going on."""

_UNBOUNDED = 10_000
"""Columns of output that goes into a file or a pipe: nothing is cut or wrapped there."""


def print_json(value: object) -> None:
    """Prints a value as JSON; numbers that JSON lacks are refused, since `wire` has replaced them."""
    json.dump(value, sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def print_rich(*parts: RenderableType) -> None:
    """Prints tables and text on standard output, with colours only on a terminal."""
    console = console_for(sys.stdout)
    for part in parts:
        console.print(part)


def print_text(text: str) -> None:
    """Prints text on standard output as it is."""
    sys.stdout.write(text)


def print_note(text: str) -> None:
    """Prints a line on standard error, if there is anything to say."""
    if text:
        sys.stderr.write(f"{text}\n")


def console_for(stream: Any) -> Console:
    """A console on a stream: as wide as the terminal, or unbounded; without colours if NO_COLOR is set."""
    from rich.console import Console

    # Names of tensors may look like markup, so nothing is taken for it.
    width = None if stream.isatty() else _UNBOUNDED
    return Console(file=stream, width=width, markup=False, emoji=False, highlight=False)


@contextlib.contextmanager
def reading(trace: str) -> Iterator[TraceReader]:
    """Opens a trace, or the newest of a folder; says so on the terminal while that takes time.

    Raises:
        TraceError: If there is no trace that can be read.
    """
    from tensordbg.trace.reader import open_trace

    with working(f"reading {trace}"):
        yield open_trace(trace)


@contextlib.contextmanager
def working(what: str) -> Iterator[None]:
    """Shows on standard error that something is being done, if that is a terminal and it takes more than a moment."""
    if not sys.stderr.isatty():
        yield
        return
    status = console_for(sys.stderr).status(what)
    soon = threading.Timer(PATIENCE, status.start)
    soon.daemon = True
    soon.start()
    try:
        yield
    finally:
        soon.cancel()
        soon.join()
        status.stop()
