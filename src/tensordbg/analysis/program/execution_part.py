"""A few of the executions of a trace: one, and those that made what it was given, and what these were given."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.columns.reading import Ints, spread_ranges
from tensordbg.analysis.program.events import Executions, row_of
from tensordbg.model import NONE


def made_from(executions: Executions, row: int, levels: int, most: int) -> Ints:
    """The rows of an execution and of those that made what it was given, ascending.

    Args:
        executions: All of the trace.
        row: Of the one; `NONE` for none.
        levels: So often those are added which made what the last ones were given.
        most: No more than these are taken.
    """
    if row == NONE:
        return np.empty(0, dtype=np.int64)
    found = {row}
    edge = np.array([row])
    for _ in range(levels):
        starts = executions.input_starts[edge]
        _, position = spread_ranges(starts, executions.input_starts[edge + 1] - starts)
        made_by = np.unique(executions.input_row[position])
        # Of very many the last ones: they are what was computed just before.
        new = [each for each in made_by.tolist()[::-1] if each != NONE and each not in found]
        new = new[: max(0, most - len(found))]
        if not new:
            break
        found.update(new)
        edge = np.array(new, dtype=np.int64)
    return np.array(sorted(found), dtype=np.int64)


def part_of(executions: Executions, rows: Ints) -> Executions:
    """Some of the executions; what others made counts as unknown."""
    starts = executions.input_starts[rows]
    lengths = executions.input_starts[rows + 1] - starts
    _, position = spread_ranges(starts, lengths)
    return Executions(
        number=executions.number[rows],
        function=executions.function[rows],
        site=executions.site[rows],
        step=executions.step[rows],
        graph=executions.graph[rows],
        failed=executions.failed[rows],
        input_starts=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        input_row=row_of(rows, executions.input_row[position]),
        input_slot=executions.input_slot[position],
        input_variable=executions.input_variable[position],
    )
