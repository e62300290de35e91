"""Printing for commands: JSON, tables, and a sign on standard error that a large trace is being read."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tensordbg.controls import escaped, escaped_json
from tensordbg.remote.copies import named

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console, RenderableType

    from tensordbg.cli.arguments import TraceChoice
    from tensordbg.trace.reader import TraceReader
    from tensordbg.wire.csv_tables import CsvTable

PATIENCE = 0.5
"""Seconds without a word before something is said to be going on."""

_UNBOUNDED = 10_000
"""Columns of output that goes into a file or a pipe: nothing is cut or wrapped there."""


def print_json(value: object) -> None:
    """Prints a value as JSON; numbers that JSON lacks are refused, since `wire` has replaced them."""
    sys.stdout.write(f"{escaped_json(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))}\n")


def print_csv(table: CsvTable) -> None:
    """Prints a table as CSV, with a line of names."""
    import csv

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    print_text(stream.getvalue())


def print_rich(*parts: RenderableType) -> None:
    """Prints tables and text on standard output, with colours only on a terminal."""
    console = console_for(sys.stdout)
    for part in parts:
        console.print(part)


def print_text(text: str) -> None:
    """Prints text on standard output, control characters as escapes."""
    sys.stdout.write(escaped(text))


def print_note(text: str) -> None:
    """Prints a line on standard error, if there is anything to say."""
    if text:
        sys.stderr.write(f"{escaped(named(text))}\n")


def console_for(stream: Any) -> Console:
    """A console on a stream: as wide as the terminal, or unbounded; without colours if NO_COLOR is set."""
    from tensordbg.report.terminal import PlainConsole

    return PlainConsole(stream, None if stream.isatty() else _UNBOUNDED)


@contextlib.contextmanager
def reading(choice: TraceChoice) -> Iterator[TraceReader]:
    """Opens the trace of one process; says so on the terminal while that takes time.

    Raises:
        TraceError: If there is no trace that can be read.
        UsageError: If there are several processes, and none was chosen.
    """
    from tensordbg.trace.folders.runs import find_run
    from tensordbg.trace.reader import open_trace

    with working(f"reading {choice.path}"):
        run = find_run(choice.path)
        process = run.only() if choice.process is None else run.process(choice.process)
        yield open_trace(process.folder)


@contextlib.contextmanager
def reading_run(choice: TraceChoice) -> Iterator[dict[str, TraceReader]]:
    """Opens the traces of all processes of a run, by name; one alone has the name ""; see `reading`.

    Raises:
        TraceError: If there is no trace that can be read.
        UsageError: If there is no such process.
    """
    from tensordbg.trace.reader import open_trace

    with working(f"reading {choice.path}"):
        yield {name: open_trace(folder) for name, folder in folders_of_run(choice).items()}


def folders_of_run(choice: TraceChoice) -> dict[str, Path]:
    """The folders of the traces of all processes of a run, by name; see `reading_run`.

    Raises:
        TraceError: If there is no trace that can be read.
        UsageError: If there is no such process.
    """
    from tensordbg.trace.folders.runs import find_run

    run = find_run(choice.path)
    processes = run.processes if choice.process is None else (run.process(choice.process),)
    several = len(processes) > 1
    return {process.name if several else "": process.folder for process in processes}


def locations_of_run(choice: TraceChoice) -> dict[str, str]:
    """Where the traces of all processes of a run lie, by name, as other processes may open them; see `reading_run`."""
    return {name: named(str(folder.resolve())) for name, folder in folders_of_run(choice).items()}


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
