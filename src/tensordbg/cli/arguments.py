"""The arguments and options that several commands share."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

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


def trace_argument(function: Function) -> Function:
    """Decorates a command that takes a TRACE, and gives it as a `TraceChoice`."""

    @functools.wraps(function)
    def with_choice(trace: str, process: str | None, **rest: Any) -> Any:
        return function(trace=TraceChoice(trace, process), **rest)

    argument = click.argument("trace", default=DEFAULT_FOLDER, metavar="[TRACE]")
    return argument(process_option(with_choice))  # type: ignore[return-value]


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


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


def trace_and(name: str) -> Callable[[Function], Function]:
    """Decorates a command whose last argument must be given and whose TRACE, before it, need not be."""

    def take(context: click.Context, _: click.Parameter, words: tuple[str, ...]) -> tuple[str, str]:
        if len(words) == 1:
            return DEFAULT_FOLDER, words[0]
        if len(words) == 2:
            return words[0], words[1]
        few = "missing argument" if not words else f"unexpected argument {words[2]!r} after"
        message = f"{few} {name}"
        raise click.UsageError(message, context)

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def with_choice(trace_and_rest: tuple[str, str], process: str | None, **rest: Any) -> Any:
            trace, last = trace_and_rest
            return function(trace_and_rest=(TraceChoice(trace, process), last), **rest)

        argument = click.argument("trace_and_rest", nargs=-1, metavar=f"[TRACE] {name}", callback=take)
        return argument(process_option(with_choice))  # type: ignore[return-value]

    return decorate
