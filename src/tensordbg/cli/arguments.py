"""The arguments and options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

DEFAULT_FOLDER = "tdbg-traces"
"""Where traces go, and where they are looked for, unless something else is said."""

Function = TypeVar("Function", bound=Callable[..., Any])

trace_argument = click.argument("trace", default=DEFAULT_FOLDER, metavar="[TRACE]")
"""A trace, or a folder of traces, whose newest is meant."""

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

    return click.argument("trace_and_rest", nargs=-1, metavar=f"[TRACE] {name}", callback=take)
