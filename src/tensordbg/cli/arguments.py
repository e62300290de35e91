"""The arguments and options that several commands share."""

from __future__ import annotations

import functools
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from tensordbg.errors import UsageError
from tensordbg.trace.folders.place import is_trace

DEFAULT_FOLDER = "tdbg-traces"
"""Where traces go, and where they are looked for, unless something else is said."""

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class TraceChoice:
    """The trace that a command is to read."""

    path: str
    """A trace, or a folder of traces, of which the newest run is meant."""
    process: str | None
    """Which process of the run; None for all of them."""


process_option = click.option(
    "--process", metavar="N|NAME", help="Only this process, where TRACE holds a run of several."
)


def complete_folder(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Has a shell complete a word as the path of a folder."""
    return [CompletionItem(begun, type="dir")]


def complete_file(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Has a shell complete a word as the path of a file."""
    return [CompletionItem(begun, type="file")]


def trace_argument(function: Function) -> Function:
    """Decorates a command that takes a TRACE, and gives it as a `TraceChoice`."""

    @functools.wraps(function)
    def with_choice(trace: str, process: str | None, **rest: Any) -> Any:
        return function(trace=TraceChoice(trace, process), **rest)

    argument = click.argument("trace", default=DEFAULT_FOLDER, metavar="[TRACE]", shell_complete=complete_folder)
    return argument(process_option(with_choice))  # type: ignore[return-value]


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


engine_option = click.option(
    "--engine",
    metavar="URL",
    help="Have the workers of a cluster read the traces: dask://HOST:PORT or ray://HOST:PORT.",
)


class Form(Enum):
    """How a listing is printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


def forms_of_listing(function: Function) -> Function:
    """Decorates a command that prints a listing: it takes `--json` and `--csv`, and is given the `Form`."""

    @functools.wraps(function)
    def with_form(as_json: bool, as_csv: bool, **rest: Any) -> Any:
        if as_json and as_csv:
            raise UsageError("--json and --csv are two forms of one listing; give one of them")
        form = Form.JSON if as_json else Form.CSV if as_csv else Form.TABLE
        return function(form=form, **rest)

    as_csv = click.option("--csv", "as_csv", is_flag=True, help="Print CSV, for spreadsheets and scripts.")
    return json_option(as_csv(with_form))  # type: ignore[return-value]


Steps = tuple[int | None, int | None]


def steps_of(context: click.Context, parameter: click.Parameter, value: str) -> Steps:
    """`N`, `A..B`, `A..` or `..B` as the first and the last step."""
    match = re.fullmatch(r"(\d+)|(\d*)\.\.(\d*)|", value)
    if not match:
        message = f"{value!r} is neither a step such as 3 nor a range such as 3..9"
        raise click.BadParameter(message, context, parameter)
    if match[1]:
        return int(match[1]), int(match[1])
    return (int(match[2]) if match[2] else None), (int(match[3]) if match[3] else None)


def _refuse_trace_alone(word: str, name: str, context: click.Context) -> None:
    """Says so where the one word that was given is a trace, and what is asked of it is missing."""
    if _holds_trace(word):
        command = context.command_path
        message = f"{word} is a trace, and {name} is missing; write it behind: `{command} {word} {name}`"
        raise UsageError(message)


def _refuse_trace_behind(first: str, second: str, name: str, context: click.Context) -> None:
    """Says so where the trace stands behind what is asked of it."""
    if _holds_trace(second) and not _holds_trace(first):
        right = f"{context.command_path} {second} {shlex.quote(first)}"
        message = f"{first} is no trace, but {second} is; TRACE comes before {name}: `{right}`"
        raise UsageError(message)


def _holds_trace(word: str) -> bool:
    """Whether a word is the path of a trace, or of a folder of traces."""
    try:
        folder = Path(word)
        return is_trace(folder) or any(is_trace(entry) for entry in folder.iterdir())
    except (OSError, ValueError):
        return False


def trace_and(name: str) -> Callable[[Function], Function]:
    """Decorates a command whose last argument must be given and whose TRACE, before it, need not be."""

    def take(context: click.Context, _: click.Parameter, words: tuple[str, ...]) -> tuple[str, str]:
        if len(words) == 1:
            _refuse_trace_alone(words[0], name, context)
            return DEFAULT_FOLDER, words[0]
        if len(words) == 2:
            _refuse_trace_behind(words[0], words[1], name, context)
            return words[0], words[1]
        few = "missing argument" if not words else f"unexpected argument {words[2]!r} after"
        message = f"{few} {name}"
        raise click.UsageError(message, context)

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def with_choice(trace_and_rest: tuple[str, str], process: str | None, **rest: Any) -> Any:
            trace, last = trace_and_rest
            return function(trace_and_rest=(TraceChoice(trace, process), last), **rest)

        argument = click.argument(
            "trace_and_rest", nargs=-1, metavar=f"[TRACE] {name}", callback=take, shell_complete=complete_folder
        )
        return argument(process_option(with_choice))  # type: ignore[return-value]

    return decorate
