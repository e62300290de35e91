"""`list_profile` (`lp`): how long the calls from Python took, by function and by eager operation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click
import numpy as np

from tensordbg.console.options import PATTERN
from tensordbg.console.pages.page import Page, Span
from tensordbg.console.pages.texts import milliseconds, table_lines
from tensordbg.model import NONE
from tensordbg.report.numbers import count

if TYPE_CHECKING:
    from tensordbg.console.console import Console

_KEYS = {"total": 2, "calls": 1, "mean": 3, "longest": 4}


@click.command("list_profile", add_help_option=False)
@click.option("-n", "--name_filter", "name", type=PATTERN, help="Only functions with such names.")
@click.option("-s", "--sort_by", type=click.Choice(list(_KEYS)), default="total", show_default=True)
@click.option("-r", "--reverse", is_flag=True, help="The smallest first.")
@click.pass_obj
def command(console: Console, name: re.Pattern[str] | None, sort_by: str, reverse: bool) -> Page:
    """List how long calls of functions took, as recorded: what recording itself costs is in these times."""
    opened = console.opened
    timings, function = opened.timings, opened.executions.function
    rows = []
    for number in np.unique(function[function != NONE]).tolist():
        known = opened.program.functions.get(number)
        label = str(number) if known is None else opened.program.python_names.get(known.graph, known.name)
        if name is not None and not name.match(label):
            continue
        own = np.flatnonzero((function == number) & timings.ended)
        took = timings.end_ns[own] - timings.begin_ns[own]
        if len(took):
            rows.append((f"{label} ({number})", len(took), int(took.sum()), float(took.mean()), int(took.max())))
    rows.sort(key=lambda row: row[_KEYS[sort_by]], reverse=not reverse)
    heads = ("function", "calls", "total ms", "mean ms", "longest ms")
    spans = [
        [Span(label), Span(count(calls)), *(Span(milliseconds(int(each))) for each in times)]
        for label, calls, *times in rows
    ]
    return Page("Calls from Python:" if rows else "No call is recorded.", table_lines(heads, spans, right=(1, 2, 3, 4)))
