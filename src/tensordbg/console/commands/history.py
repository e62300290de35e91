"""`history`: one tensor over the steps, as a sparkline for each statistic and a line for each event."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click
import numpy as np

from tensordbg.console.language.statistics import Measured
from tensordbg.console.names.runs import EVERYTHING
from tensordbg.console.names.tensors import find_tensor, typed_tensor
from tensordbg.console.options import function_option, run_option
from tensordbg.console.pages.page import FixedLines, JoinedLines, Line, Page, Place, Span
from tensordbg.console.pages.sparkline import sparkline
from tensordbg.console.pages.tensor_rows import TensorRows
from tensordbg.console.pages.texts import word
from tensordbg.report.numbers import amount, short

if TYPE_CHECKING:
    from tensordbg.analysis.columns.reading import Ints
    from tensordbg.console.console import Console
    from tensordbg.console.language.statistics import MeasuredEvents

_WIDTH = 64
_DRAWN = ("min", "mean", "max", "std", "zero", "non_finite")
_COUNTS = frozenset({"zero", "non_finite"})


@click.command("history", add_help_option=False)
@click.argument("name", metavar="NAME[:SLOT]")
@function_option
@run_option
@click.pass_obj
def command(console: Console, name: str, function: str, run: str) -> Page:
    """Show how a tensor went over the steps: its statistics drawn, and each event; by default over the whole trace."""
    opened = console.opened
    scope = console.scope(run) if run else EVERYTHING
    chosen = find_tensor(opened, typed_tensor(console.opened, name), scope, function)
    rows = TensorRows(opened, chosen.events, steps=True)
    drawn = FixedLines(tuple(_drawn(opened, chosen.events)))
    head = rows.head(f"lt -x all name:{word(chosen.name)}")
    source = opened.site(chosen.sites[0]).source
    return Page(
        f"{chosen.name}: {amount(len(chosen.events), 'event')}",
        JoinedLines((drawn, FixedLines((head,)), rows)),
        place=None if source is None else Place(source.file, source.line),
    )


def _drawn(opened: MeasuredEvents, events: Ints) -> Iterator[Line]:
    """A sparkline for each statistic that is known; where nothing sound is known of a tensor stands a `×`."""
    measured = Measured(opened, events)
    bad = measured.get("non_finite") > 0
    for name in _DRAWN:
        numbers = measured.get(name)
        known = numbers[np.isfinite(numbers)]
        if not len(known) or (name in _COUNTS and not known.any()):
            continue
        shown = numbers if name in _COUNTS else np.where(bad, np.nan, numbers)
        picture = sparkline(shown, _WIDTH)
        extent = f"{short(float(known.min()))} to {short(float(known.max()))}"
        yield (Span(f"{name:>10}  "), Span(picture, "bad" if bool(bad.any()) else "good"), Span(f"  {extent}", "dim"))
    yield ()
