"""How a run went: what its layers put out, their gradients and updates, over all steps, and the loss beside them.

This is for a run in which nothing is wrong as much as for one in which trouble is coming. A trace of any length is told
in a bounded answer: so many rows, and so many columns, each of which stands for some steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Ints, TraceSource
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.view.progress.lines import ProgressLine, find_lines
from tensordbg.analysis.view.progress.measures import MEASURES, Cells, bad_cells
from tensordbg.analysis.view.progress.rows import ProgressRow, find_rows
from tensordbg.analysis.view.progress.sights import Sight, find_sights
from tensordbg.analysis.view.records.columns import EventColumns
from tensordbg.analysis.warnings.study.series import Floats
from tensordbg.analysis.warnings.study.study import study
from tensordbg.errors import UsageError

NOT_FINITE = "not_finite"
"""The measure that is counted from all events; the others are taken from what is studied."""
_MOST_ROWS = 150


class ProgressSource(EventColumns, TraceSource, Protocol):
    """A trace of which all that is studied can be read."""

    @property
    def program(self) -> Program:
        """The description of the program."""


@dataclass(frozen=True)
class ProgressData:
    """All that is told of the progress of a trace, step by step."""

    layers: tuple[ProgressRow, ...]
    """Rows of what is computed forward: layers, or lines of the program where it has none."""
    trained: tuple[ProgressRow, ...]
    """Rows of what is trained: layers with variables, then variables outside of all layers."""
    cells: Mapping[str, Cells]
    """By measure."""
    lines: tuple[ProgressLine, ...]
    first_step: int
    last_step: int
    sights: tuple[Sight, ...]


@dataclass(frozen=True)
class ShownRow:
    """One row of the heat map, with one value for each column."""

    row: ProgressRow
    values: Floats
    """The largest of the column's steps; NaN where there is none."""
    events: Ints
    """The event that it is of, -1 where there is none."""


@dataclass(frozen=True)
class Progress:
    """One measure over the steps."""

    measure: str
    measures: tuple[str, ...]
    """Those of which anything is known."""
    starts: tuple[int, ...]
    """The first step of each column."""
    last_step: int
    rows: tuple[ShownRow, ...]
    left_out: int
    """Rows that there are besides, those with the smallest values."""
    lines: tuple[ProgressLine, ...]
    sights: tuple[Sight, ...]
    """What is worth a look."""


def read_progress(opened: ProgressSource) -> ProgressData:
    """Studies a trace once; what is kept of it is small."""
    seen = study(opened, opened.program, opened.event_count)
    layers, trained = find_rows(seen)
    cells = {name: measure(seen, trained if of_trained else layers) for name, (measure, of_trained) in MEASURES.items()}
    cells[NOT_FINITE] = bad_cells(opened, layers)
    first, last = _steps(cells)
    lines = find_lines(seen, opened.facts.optimizers)
    return ProgressData(layers, trained, cells, lines, first, last, find_sights(layers, trained, cells, lines))


def progress_of(data: ProgressData, measure: str, width: int) -> Progress:
    """One measure, in at most so many columns.

    Args:
        data: Of `read_progress`.
        measure: Its name; empty for the first of which anything is known.
        width: How many columns there may be, at least 1.

    Raises:
        UsageError: If there is no such measure.
    """
    known = tuple(name for name, cells in data.cells.items() if len(cells.row))
    if measure not in ("", *data.cells):
        raise UsageError(f"no measure {measure!r}; it is one of {', '.join(data.cells)}")
    name = measure or (known[0] if known else NOT_FINITE)
    count = max(1, min(width, data.last_step - data.first_step + 1))
    bounds = data.first_step + np.arange(count + 1) * (data.last_step - data.first_step + 1) // count
    rows = data.trained if name in MEASURES and MEASURES[name][1] else data.layers
    shown, left_out = _shown(rows, data.cells[name], bounds)
    return Progress(name, known, tuple(bounds[:-1].tolist()), data.last_step, shown, left_out, data.lines, data.sights)


def _shown(rows: Sequence[ProgressRow], cells: Cells, bounds: Ints) -> tuple[tuple[ShownRow, ...], int]:
    count = len(bounds) - 1
    inside = (cells.step >= bounds[0]) & (cells.step < bounds[-1])
    row, step, value, event = cells.row[inside], cells.step[inside], cells.value[inside], cells.event[inside]
    place = row * count + np.searchsorted(bounds, step, side="right") - 1
    order = np.lexsort((value, place))
    last = np.flatnonzero(np.diff(place[order], append=-1))
    values = np.full(len(rows) * count, np.nan)
    events = np.full(len(rows) * count, -1, dtype=np.int64)
    values[place[order[last]]] = value[order[last]]
    events[place[order[last]]] = event[order[last]]
    table, made_by = values.reshape(len(rows), count), events.reshape(len(rows), count)
    there = np.flatnonzero((made_by >= 0).any(axis=1))
    kept = there
    if len(there) > _MOST_ROWS:
        largest = np.nanmax(table[there], axis=1)
        kept = np.sort(there[np.argsort(-largest, kind="stable")[:_MOST_ROWS]])
    return tuple(ShownRow(rows[k], table[k], made_by[k]) for k in kept.tolist()), len(there) - len(kept)


def _steps(cells: Mapping[str, Cells]) -> tuple[int, int]:
    """The first and the last step of what is measured; of all that was computed, where nothing was."""
    steps = [each.step for name, each in cells.items() if name != NOT_FINITE and len(each.step)]
    together = np.concatenate(steps or [cells[NOT_FINITE].step, np.zeros(1, dtype=np.int64)])
    return int(together.min()), int(together.max())
