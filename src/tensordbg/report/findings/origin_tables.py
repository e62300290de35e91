"""The two tables of an origin: the health of its output and inputs, and how they looked in the steps before."""

from __future__ import annotations

from rich.console import Group
from rich.table import Table
from rich.text import Text

from tensordbg.analysis.finding import History, Origin, TensorView
from tensordbg.model import Health
from tensordbg.report.listing import BAD, plain_table
from tensordbg.report.numbers import ABSENT, count_or_blank, short

_PAST = 5
"""So many earlier steps are shown."""

_COUNTS = (("zeros", "zero"), ("negative", "negative"), ("-inf", "neg_inf"), ("+inf", "pos_inf"), ("NaN", "nan"))


def health_table(origin: Origin) -> Table:
    """The output and each input, see `health_rows`."""
    (_, *texts), *rows = health_rows(origin)
    table = plain_table()
    table.add_column("")
    for name in texts[:2]:
        table.add_column(name, overflow="fold")
    for name in texts[2:]:
        table.add_column(name, justify="right", no_wrap=True)
    for k, (role, tensor, *cells) in enumerate(rows):
        table.add_row(role, Text(tensor, style="" if k else BAD), *cells)
    return table


def health_rows(origin: Origin) -> list[list[str]]:
    """The output and each input under a row of headings; of the counts only those that are not zero throughout."""
    views: list[TensorView | None] = [origin.view, *(given.recorded for given in origin.inputs)]
    labels = [origin.view.tensor, *(given.tensor for given in origin.inputs)]
    shown = [view.health for view in views if view is not None and view.health is not None]
    counts = {name: field for name, field in _COUNTS if any(getattr(health, field) for health in shown)}
    rows = [["", "tensor", "type", "min", "mean", "max", "std", *counts]]
    for k, (label, view) in enumerate(zip(labels, views, strict=True)):
        rows.append(["in" if k else "out", label, *cells_of(view, list(counts.values()))])
    return rows


def cells_of(view: TensorView | None, counts: list[str]) -> list[str]:
    """The type, the smallest, mean and largest number and their spread, then the counts that are asked for."""
    if view is None or view.health is None:
        return ["not recorded", *[ABSENT] * 4, *[""] * len(counts)]
    health = view.health
    shape = "" if view.shape is None else str(list(view.shape))
    values = [short(value) for value in (health.min, health.mean, health.max, health.std)]
    return [f"{view.dtype}{shape}", *values, *(count_or_blank(getattr(health, field)) for field in counts)]


def past_tables(origin: Origin) -> Table | None:
    """The tensor and its first input with a past, side by side."""
    histories = [history for history in origin.history if history.past][:2]
    if not histories:
        return None
    grid = Table.grid(padding=(0, 4, 0, 0))
    grid.add_row(*(Group(Text(f"{each.tensor} before", style="bold"), _past_table(each, origin)) for each in histories))
    return grid


def _past_table(history: History, origin: Origin) -> Table:
    past = history.past[-_PAST:]
    iterations = all(view.execution == origin.view.execution and view.iteration is not None for view in past)
    health = [view.health or Health(size=0) for view in past]
    columns = [
        ("iteration" if iterations else "step", [str(view.iteration if iterations else view.step) for view in past]),
        ("min", [short(each.min) for each in health]),
        ("max", [short(each.max) for each in health]),
        ("zeros", [count_or_blank(each.zero) for each in health]),
        ("not finite", [count_or_blank(each.non_finite) for each in health]),
    ]
    columns = [(name, cells) for name, cells in columns if any(cells)]
    table = plain_table()
    for name, _ in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for row in zip(*(cells for _, cells in columns), strict=True):
        table.add_row(*row)
    return table
