"""The text of `tdbg functions`: each function with its traces below it."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tensordbg.analysis.graphs.functions import FunctionTrace, TracedFunction
from tensordbg.report.listing import plain_table
from tensordbg.report.numbers import ABSENT, count

_LISTED = 12
"""So many traces of a function are listed."""


def functions_text(functions: Sequence[TracedFunction]) -> Group:
    """All functions, an empty line between them."""
    parts: list[RenderableType] = []
    for function in functions:
        parts += [*([Text()] if parts else []), _heading(function), _traces(function)]
        if len(function.traces) > _LISTED:
            parts.append(Text(f"  and {count(len(function.traces) - _LISTED)} more; --json tells all", style="dim"))
    return Group(*parts)


def _heading(function: TracedFunction) -> Text:
    place = f"  {function.definition.place}" if function.definition else ""
    traces, calls = len(function.traces), function.calls
    said = f"  traced {_times(traces)}, called {_times(calls)} from Python"
    return Text.assemble((function.name, "bold"), (place, "cyan"), said)


def _traces(function: TracedFunction) -> Padding:
    table: Table = plain_table()
    table.add_column("step", justify="right", no_wrap=True)
    table.add_column("calls", justify="right", no_wrap=True)
    table.add_column("arguments", overflow="fold")
    table.add_column("traced from", overflow="fold", min_width=9)
    for trace in function.traces[:_LISTED]:
        place = trace.source.place if trace.source else ABSENT
        table.add_row(ABSENT if trace.step is None else str(trace.step), count(trace.calls), _arguments(trace), place)
    return Padding(table, (0, 0, 0, 2), expand=False)


def _arguments(trace: FunctionTrace) -> str:
    if trace.parameters:
        return ", ".join(f"{parameter.name}: {parameter.text}" for parameter in trace.parameters)
    return trace.signature.strip("()") or ABSENT


def _times(number: int) -> str:
    return "once" if number == 1 else f"{count(number)} times"
