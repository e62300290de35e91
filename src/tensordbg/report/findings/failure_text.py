"""The error that ended a program, on the terminal: the operation, its line, what it took."""

from __future__ import annotations

import re

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from tensordbg.analysis.failures.lead import failure_lead, iterations_of, message_of_one_line
from tensordbg.analysis.finding import Beginning, ProgramFailure
from tensordbg.report.findings.origin_tables import cells_of
from tensordbg.report.findings.origin_text import source_table
from tensordbg.report.listing import BAD, plain_table

_WORDS = {
    "shape": "shape ",
    "dtype": "type  ",
    "value": "value ",
    "wrapped": "wrap  ",
    "python": "python",
    "element": "data  ",
    "size": "size  ",
    "forward": "of    ",
    "overwritten": "writes",
    "backward": "before",
    "left": "cut   ",
}
"""Heads of the lines that tell where something began, all of one width."""


_NOT_FINITE, _ELEMENTS = "not finite", "elements"
_ALWAYS = 7
"""So many columns of the table of inputs are there always."""


def failure_text(failure: ProgramFailure) -> list[RenderableType]:
    """The parts of it, one below the other."""
    before, error, after = failure_lead(failure).partition(failure.error)
    parts: list[RenderableType] = [
        Text.assemble((before, "bold"), (error, BAD), (after, "bold")),
        Text(circumstances_of(failure), style="dim"),
    ]
    whole = re.sub(" +", " ", failure.message).strip().rstrip(".:")
    if message_of_one_line(failure.message) != whole:  # the sentence has not all of it
        parts += [Text(), Text("\n".join(f"  {line}" for line in failure.message.splitlines()))]
    if failure.source is not None:
        parts += [Text(), source_table(failure.source)]
    if failure.inputs:
        parts += [Text(), _inputs(failure)]
    if failure.beginnings:
        parts += [Text(), *map(_beginning, failure.beginnings)]
    return parts


def _beginning(beginning: Beginning) -> Table:
    """Where something began that did not fit, with its line."""
    table = Table.grid(padding=(0, 2))
    table.add_column("", style="bold", no_wrap=True)
    table.add_column("")
    table.add_row(_WORDS.get(beginning.what, beginning.what), beginning.explanation)
    if beginning.source is not None:
        line = Text(f"{beginning.source.place}  {beginning.source.text}", style="dim")
        table.add_row("", line)
    return table


def circumstances_of(failure: ProgramFailure) -> str:
    """The line by its whole path, the function, the step and the iterations of loops."""
    place = "" if failure.source is None else f"{failure.source.file}:{failure.source.line}"
    named = failure.function and not failure.function.startswith("<")
    function = "" if not named else f"in {failure.function}" + ("" if failure.function.endswith(")") else "()")
    step = f"in step {failure.step}" if failure.step >= 0 else ""
    layer = f"layer {failure.layer}" if failure.layer and failure.op_name else ""
    op_type = failure.op_type if failure.op_type != failure.op_name else ""
    return ", ".join(filter(None, [place, function, step, *iterations_of(failure.loops), op_type, layer]))


def _inputs(failure: ProgramFailure) -> Table:
    head, *rows = input_rows(failure)
    table = plain_table()
    for name in head[:3]:
        table.add_column(name, overflow="fold")
    for name in head[3:]:
        if name == _ELEMENTS:
            table.add_column(name, overflow="fold")
        else:
            table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def input_rows(failure: ProgramFailure) -> list[list[str]]:
    """The inputs under a row of headings; elements and what is not finite only where there are any."""
    rows = [["", "tensor", "type", "min", "mean", "max", "std", _NOT_FINITE, _ELEMENTS]]
    for given in failure.inputs:
        health = None if given.recorded is None else given.recorded.health
        bad = "" if health is None or not health.non_finite else f"{health.non_finite:,}"
        kind, *numbers = cells_of(given.recorded, [])
        rows.append(["in", given.tensor, given.stated or kind, *numbers, bad, given.elements])
    kept = [k for k in range(len(rows[0])) if k < _ALWAYS or any(row[k] for row in rows[1:])]
    return [[row[k] for k in kept] for row in rows]
