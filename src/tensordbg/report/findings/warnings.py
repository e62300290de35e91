"""Warnings on the terminal: the first few in full, of the others a line each."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tensordbg.analysis.finding import NumericalWarning
from tensordbg.report.numbers import count

_IN_FULL = 2
_LISTED = 8


def warning_lines(warnings: Sequence[NumericalWarning]) -> list[RenderableType]:
    """Texts of the warnings, with a heading and a blank line before it; nothing where there are none."""
    if not warnings:
        return []
    parts: list[RenderableType] = [Text(), Text("warnings, of finite numbers:", style="bold")]
    for warning in warnings[:_IN_FULL]:
        parts += [_headline(warning), Padding(_reasons(warning), (0, 0, 0, 4))]
    parts += [_headline(warning) for warning in warnings[_IN_FULL:_LISTED]]
    if len(warnings) > _LISTED:
        parts.append(Text(f"  and {count(len(warnings) - _LISTED)} more; --json tells all", style="dim"))
    return parts


def warning_headline(warning: NumericalWarning) -> str:
    """`dead_units: Relu:0 (train.py:4)`."""
    return f"{warning.kind}: {_subject(warning)}"


def _headline(warning: NumericalWarning) -> Text:
    return Text.assemble("  ", (warning.kind, "bold"), f": {_subject(warning)}")


def _subject(warning: NumericalWarning) -> str:
    place = f" ({warning.source.place})" if warning.source else ""
    return f"{warning.variable or warning.view.tensor}{place}"


def _reasons(warning: NumericalWarning) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    if warning.source is not None:
        table.add_row("line", Text(warning.source.text, style="dim"))
    table.add_row("why", warning.explanation)
    table.add_row("fix", warning.suggestion)
    others = [name for name in warning.also if name != warning.variable]
    if others:
        table.add_row("also", ", ".join(others))
    return table
