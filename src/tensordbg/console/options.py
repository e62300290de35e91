"""Options and arguments that several commands share."""

from __future__ import annotations

import re
from typing import Any

import click

from tensordbg.console.language.patterns import compile_pattern


class Pattern(click.ParamType):  # type: ignore[type-arg,unused-ignore] # generic in later releases
    """A regular expression, which must fit from the begin on, as the old debugger had it."""

    name = "regex"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> re.Pattern[str]:  # noqa: ARG002
        """See `click.ParamType`."""
        return value if isinstance(value, re.Pattern) else compile_pattern(value)


PATTERN = Pattern()

run_option = click.option(
    "-x", "--run", "run", default="", metavar="N|A..B|last|all", help="Look at these runs; by default at the last one."
)
function_option = click.option("--function", default="", metavar="NAME", help="Only in the function of this name.")
event_option = click.option("-e", "--event", type=int, metavar="N", help="The tensor with this number in the trace.")
number_option = click.option(
    "-n", "--number", type=int, metavar="K", help="Of several such tensors number K, from 0; -1 is the last."
)
write_option = click.option("-w", "--write_path", default="", metavar="FILE.npy", help="Write the elements to a file.")
all_option = click.option("-a", "--all", "everything", is_flag=True, help="Show every element of a large tensor.")
