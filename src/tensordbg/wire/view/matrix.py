"""The processes of a run beside each other, step by step, for the page."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tensordbg.analysis.processes.matrix import STATES, ProcessMatrix

_DIGITS = 4


@dataclass(frozen=True)
class MatrixRowView:
    """One process."""

    process: str
    states: tuple[int, ...]
    """One for each column, as positions in `MatrixView.states`."""
    tensors: tuple[int, ...]
    """How many were recorded."""
    bad: tuple[int, ...]
    """How many of them are not finite."""
    events: tuple[int | None, ...]
    """The event to look at: the first that is not finite, else the first; null where there is none."""
    values: tuple[float | None, ...]
    """The usual root mean square; null where it can't be compared with that of the others."""


@dataclass(frozen=True)
class MatrixView:
    """A row for each process, a column for some steps."""

    states: tuple[str, ...]
    """`nothing` was recorded, `not_measured`, all `finite`, finite but with other parameters than the others
    (`apart`), stands `still` while others went on or wait for it, or something was not finite (`bad`)."""
    measure: str
    """What the values are of: `loss`, `gradients`, `weights` or all other `values`; empty where none is known."""
    measures: tuple[str, ...]
    """Those of which anything is known."""
    starts: tuple[int, ...]
    """The first step of each column."""
    last_step: int
    medians: tuple[float | None, ...]
    """The median of the processes' values in each column."""
    rows: tuple[MatrixRowView, ...]
    left_out: int
    """Processes that there are besides, those nearest to the others."""


def matrix_view(matrix: ProcessMatrix) -> MatrixView:
    """The matrix; numbers have as many digits as one sees."""
    return MatrixView(
        states=STATES,
        measure=matrix.measure,
        measures=matrix.measures,
        starts=matrix.starts,
        last_step=matrix.last_step,
        medians=_rounded(matrix.medians.tolist()),
        rows=tuple(_row(matrix, row) for row in range(len(matrix.processes))),
        left_out=matrix.left_out,
    )


def _row(matrix: ProcessMatrix, row: int) -> MatrixRowView:
    return MatrixRowView(
        process=matrix.processes[row],
        states=tuple(matrix.states[row].tolist()),
        tensors=tuple(matrix.events[row].tolist()),
        bad=tuple(matrix.bad[row].tolist()),
        events=tuple(event if event >= 0 else None for event in matrix.first[row].tolist()),
        values=_rounded(matrix.values[row].tolist()),
    )


def _rounded(values: list[float]) -> tuple[float | None, ...]:
    return tuple(float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None for value in values)
