"""The error that ended a program, on the terminal: the operation, its line, what it took."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from tensordbg.analysis.finding import Beginning, InputView, ProgramFailure
from tensordbg.report.listing import BAD, plain_table
from tensordbg.report.origin_tables import cells_of
from tensordbg.report.origin_text import source_excerpt

_WORDS = {"shape": "shape ", "dtype": "type  ", "value": "value ", "wrapped": "wrap  "}
"""Heads of the lines that tell where something began, all of one width."""


def failure_text(failure: ProgramFailure) -> list[RenderableType]:
    """The parts of it, one below the other."""
    where = failed_in(failure)
    of = f" of {failure.process}" if failure.process else ""
    parts: list[RenderableType] = [
        Text.assemble((failure.error, BAD), (f"{where} ended the program{of}", "bold")),
        Text(_circumstances(failure), style="dim"),
        Text(),
        Text("\n".join(f"  {line}" for line in failure.message.splitlines())),
    ]
    if failure.source is not None:
        parts += [Text(), source_excerpt(failure.source)]
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


def failed_in(failure: ProgramFailure) -> str:
    """` in MatMul`, ` in layer model/dense`; empty where neither is known."""
    if failure.op_name:
        return f" in {failure.op_name}"
    return f" in layer {failure.layer}" if failure.layer else ""


def _circumstances(failure: ProgramFailure) -> str:
    place = "" if failure.source is None else f"{failure.source.file}:{failure.source.line}"
    named = failure.function and not failure.function.startswith("<")
    function = "" if not named else f"in {failure.function}" + ("" if failure.function.endswith(")") else "()")
    step = f"in step {failure.step}" if failure.step >= 0 else ""
    layer = f"layer {failure.layer}" if failure.layer and failure.op_name else ""
    return ", ".join(filter(None, [place, function, step, failure.op_type, layer]))


def _inputs(failure: ProgramFailure) -> Table:
    table = plain_table()
    table.add_column("")
    for name in ("tensor", "type"):
        table.add_column(name, overflow="fold")
    for name in ("min", "mean", "max", "std"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("not finite", justify="right", no_wrap=True)
    for given in failure.inputs:
        health = None if given.recorded is None else given.recorded.health
        bad = "" if health is None or not health.non_finite else f"{health.non_finite:,}"
        kind, *numbers = cells_of(given.recorded, [])
        table.add_row("in", given.tensor, _stated(given) or kind, *numbers, bad)
    return table


def _stated(given: InputView) -> str:
    """Type and shape of an input that was not computed."""
    if given.shape is None:
        return given.dtype
    return f"{given.dtype}[{', '.join('?' if dim < 0 else str(dim) for dim in given.shape)}]"
