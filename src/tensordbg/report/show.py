"""The text of `tdbg show`: what a tensor is, where it was created, and how it looked over time."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tensordbg.analysis.program.function_titles import function_title
from tensordbg.analysis.program.operations import named
from tensordbg.analysis.tensors.show import TensorHistory
from tensordbg.enumeration import first_few
from tensordbg.operations.kinds import Kind
from tensordbg.report.listing import (
    LENGTHS,
    add_health_columns,
    device_text,
    health_cells,
    iteration_text,
    length_cells,
    place_text,
    plain_table,
    step_text,
    style_of,
    type_text,
)
from tensordbg.report.numbers import ABSENT, count

_MOST_NAMES = 8
"""So many names of rows are printed."""


def histories_text(histories: Mapping[str, TensorHistory]) -> Group:
    """The history in each process of a run, by name; the only process has none."""
    parts: list[RenderableType] = []
    for name, history in histories.items():
        parts += [Text()] if parts else []
        parts += [Text(f"{name}:", style="bold")] if name else []
        parts.append(history_text(history))
    return Group(*parts)


def cut_text(histories: Mapping[str, TensorHistory]) -> str:
    """Says of which processes not all events are listed; empty where all are."""
    cut = {name: history for name, history in histories.items() if len(history.points) < history.total}
    return "\n".join(f"{name}: {_footer(history)}" if name else _footer(history) for name, history in cut.items())


def history_text(history: TensorHistory) -> Group:
    """Heading, source and table of a tensor's history."""
    return Group(
        _heading(history),
        *_sources(history),
        *_variables(history),
        *_devices(history),
        Text(),
        _table(history),
        Text(_footer(history), style="dim"),
    )


def _heading(history: TensorHistory) -> Text:
    functions = " and ".join(dict.fromkeys(map(function_title, filter(None, history.functions)))) or "no function"
    kinds = "/".join("argument" if named(kind).kind is Kind.ARGUMENT else kind for kind in history.op_types)
    return Text.assemble((history.tensor, "bold"), f"  {kinds} in {functions}")


def _sources(history: TensorHistory) -> list[Text]:
    return [Text.assemble((f"{source.file}:{source.line}", "cyan"), f"  {source.text}") for source in history.sources]


def _variables(history: TensorHistory) -> list[Text]:
    """Of which variable it is the value, where the name does not say it."""
    others = [name for name in history.variables if f"{name}:0" != history.tensor]
    return [Text(f"the value of {' and '.join(others)}")] if others else []


def _devices(history: TensorHistory) -> list[Text]:
    """Where it was computed, and where the program wanted it; nothing where that is the CPU and nobody asked."""
    given = list(dict.fromkeys(filter(None, (device_text(point.device) for point in history.points))))
    asked = list(dict.fromkeys(filter(None, (device_text(point.asked) for point in history.points))))
    if not asked and given in ([], ["CPU:0"]):
        return []
    wish = f", asked for {', '.join(asked)}" if asked else ""
    return [Text(f"computed on {', '.join(given) or 'an unknown device'}{wish}")]


def _table(history: TensorHistory) -> Table:
    table = plain_table()
    looping = any(point.iteration is not None for point in history.points)
    spread = len(history.sources) > 1
    table.add_column("step", justify="right", no_wrap=True)
    piped = any(point.call is not None for point in history.points)
    if piped:
        table.add_column("call", justify="right", no_wrap=True)
    if looping:
        table.add_column("iteration", justify="right", no_wrap=True)
    table.add_column("type", overflow="fold")
    strings = all(point.dtype == "string" for point in history.points)
    kept = any(point.text for point in history.points)
    if strings:
        for name in LENGTHS:
            table.add_column(name, justify="right", no_wrap=True)
    else:
        add_health_columns(table)
    if kept:
        table.add_column("elements", overflow="fold")
    named = any(point.came_from for point in history.points)
    if named:
        table.add_column("came from", overflow="fold")
    if spread:
        table.add_column("line", overflow="fold")
    for point in history.points:
        when = [step_text(point)] + ([ABSENT if point.call is None else str(point.call)] if piped else [])
        iteration = [iteration_text(point)] if looping else []
        measured = length_cells(point) if strings else health_cells(point)
        measured += [point.text] if kept else []
        measured += [_names(point.came_from)] if named else []
        place = [place_text(point.source) if point.source else ABSENT] if spread else []
        table.add_row(*when, *iteration, type_text(point), *measured, *place, style=style_of(point))
    return table


def _names(origins: tuple[str, ...]) -> str:
    """The first names; JSON has all."""
    return first_few(origins, _MOST_NAMES) or ABSENT


def _footer(history: TensorHistory) -> str:
    shown = len(history.points)
    if shown == history.total:
        return f"{count(shown)} event{'s' * (shown != 1)}"
    last = history.skipped + shown
    return f"events {count(history.skipped + 1)} to {count(last)} of {count(history.total)}; --limit 0 shows all"
