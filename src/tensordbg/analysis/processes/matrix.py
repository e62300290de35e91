"""A run of many processes as a matrix: each process a row, some steps a column, how it fared and how far it deviates.

Only the sums in each trace are read, so that a thousand processes of a hundred thousand steps are told in a bounded
answer. A process is compared with the median of all that computed about as much in the same steps: one whose loss is
three times the others' stands out, whatever the loss is at that time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints, SummedTrace
from tensordbg.analysis.processes.other_parameters import find_deviations
from tensordbg.analysis.processes.standing_still import ended_well, is_idle_since, waited_for
from tensordbg.analysis.warnings.study.series import Floats
from tensordbg.errors import UsageError
from tensordbg.trace.sums.by_step import COLUMNS, KINDS, OCTAVE

MOST_ROWS = 1000
"""So many processes are shown; of more those that stand out."""

STATES = ("nothing", "not_measured", "finite", "apart", "still", "bad")
"""How a process fared in some steps: nothing was recorded; recorded and not measured; all finite; finite, but with
other parameters than the others from there on; stands still, or was ended, while others went on; something was bad."""

_NOTHING, _NOT_MEASURED, _FINITE, _APART, _STILL, _BAD = range(len(STATES))

_ABOUT = 0.1
"""Processes are compared where the numbers of their tensors differ by no larger part than this."""


@dataclass(frozen=True)
class ProcessMatrix:
    """The matrix of one run; arrays have a row for each process and a column for some steps."""

    processes: tuple[str, ...]
    starts: tuple[int, ...]
    """The first step of each column."""
    last_step: int
    measure: str
    """Which values are told, one of `KINDS`; empty where none is known."""
    measures: tuple[str, ...]
    """Those of which anything is known."""
    states: Ints
    """Positions in `STATES`."""
    events: Ints
    """How many tensors were recorded."""
    bad: Ints
    """How many of them are not finite."""
    first: Ints
    """The event to look at: the first bad one, else the first; -1 where there is none."""
    values: Floats
    """The usual size of the tensors, in root mean squares; NaN where it can't be compared."""
    medians: Floats
    """The median of the processes in each column."""
    left_out: int
    """Processes that there are besides, those nearest to the others."""


def read_matrix(processes: Mapping[str, SummedTrace], measure: str, width: int) -> ProcessMatrix:
    """The matrix of the processes of a run.

    Args:
        processes: Their traces by name.
        measure: Which values are told, one of `KINDS`; empty for the first of which anything is known.
        width: How many columns there may be, at least 1.

    Raises:
        UsageError: If there is no such measure.
    """
    if measure not in ("", *KINDS):
        raise UsageError(f"no measure {measure!r}; it is one of {', '.join(KINDS)}")
    table, stride = _gathered(list(processes.values()), width)
    measures = tuple(kind for kind in KINDS if table[f"{kind}_tensors"].any())
    shown = measure or next(iter(measures), "")
    sizes, medians = _sizes(table, shown) if shown in measures else _no_sizes(table)
    matrix = ProcessMatrix(
        processes=tuple(processes),
        starts=tuple(range(0, stride * table["events"].shape[1], stride)),
        last_step=max((trace.sums().steps for trace in processes.values()), default=0) - 1,
        measure=shown,
        measures=measures,
        states=_states(processes, table, stride),
        events=table["events"],
        bad=table["bad"],
        first=np.where(table["first_bad"] >= 0, table["first_bad"], table["first_event"]),
        values=_root_mean_squares(sizes),
        medians=_root_mean_squares(medians),
        left_out=0,
    )
    return _bounded(matrix, np.abs(sizes - medians))


def _gathered(traces: Sequence[SummedTrace], width: int) -> tuple[dict[str, Ints], int]:
    """The sums of all processes by column, and how many steps a column has."""
    sums = [trace.step_sums() for trace in traces]
    stride = max((each.stride for each in sums), default=1)
    length = max((-(-len(each) * each.stride // stride) for each in sums), default=0)
    stride *= max(1, -(-length // width))
    length = max((-(-len(each) * each.stride // stride) for each in sums), default=0)
    rows = [each.arrays(stride, length) for each in sums]
    none = np.zeros((0, length), dtype=np.int64)
    return {name: np.stack([row[name] for row in rows]) if rows else none for name in COLUMNS}, stride


def _sizes(table: Mapping[str, Ints], kind: str) -> tuple[Floats, Floats]:
    """The mean size of a kind of tensors in each cell, NaN where it can't be compared, and the medians of columns."""
    count = table[f"{kind}_tensors"]
    there = count > 0
    usual = _medians(np.where(there, count, np.nan))
    alike = there & (np.abs(count - usual) <= _ABOUT * usual)
    sizes = np.where(alike, table[f"{kind}_size"] / np.maximum(count, 1), np.nan)
    return sizes, _medians(sizes)


def _root_mean_squares(sizes: Floats) -> Floats:
    """Sizes as root mean squares."""
    with np.errstate(over="ignore"):  # a damaged trace may have any
        result: Floats = np.exp2(sizes / OCTAVE)
    return result


def _no_sizes(table: Mapping[str, Ints]) -> tuple[Floats, Floats]:
    rows, columns = table["events"].shape
    return np.full((rows, columns), np.nan), np.full(columns, np.nan)


def _medians(values: Floats) -> Floats:
    """The median of each column, without NaN; NaN where there is nothing else."""
    known = ~np.isnan(values).all(axis=0)
    result = np.full(values.shape[1], np.nan)
    if known.any():
        result[known] = np.nanmedian(values[:, known], axis=0)
    return result


def _states(processes: Mapping[str, SummedTrace], table: Mapping[str, Ints], stride: int) -> Ints:
    there = table["events"] > 0
    states = np.full(there.shape, _NOTHING, dtype=np.int64)
    states[there] = _NOT_MEASURED
    states[table["measured"] > 0] = _FINITE
    rows = {name: row for row, name in enumerate(processes)}
    for deviation in find_deviations(processes):
        for name in deviation.names:
            later = states[rows[name], deviation.steps.start // stride :]
            later[later == _FINITE] = _APART
    waiting = frozenset(waited_for(processes))
    for name, trace in processes.items():
        states[rows[name], _still(trace, there[rows[name]], name in waiting)] = _STILL
    states[table["bad"] > 0] = _BAD
    return states


def _still(trace: SummedTrace, there: Bools, is_waited_for: bool) -> slice:
    """The columns in which a process stands still: those after its last, and that too where all others wait for it."""
    last = int(np.flatnonzero(there).max(initial=-1))
    if is_waited_for:
        return slice(max(last, 0), None)
    if ended_well(trace) or not is_idle_since(trace.sums().last_ns):
        return slice(0, 0)
    return slice(last + 1, None)


def _bounded(matrix: ProcessMatrix, deviations: Floats) -> ProcessMatrix:
    """The matrix with at most `MOST_ROWS` processes: those that fared worst, then those that deviate most."""
    if len(matrix.processes) <= MOST_ROWS:
        return matrix
    worst = matrix.states.max(axis=1, initial=_NOTHING)
    furthest = np.nan_to_num(deviations, nan=-1.0).max(axis=1, initial=-1.0)
    rows = np.sort(np.lexsort((-furthest, -worst))[:MOST_ROWS])
    return replace(
        matrix,
        processes=tuple(matrix.processes[row] for row in rows.tolist()),
        states=matrix.states[rows],
        events=matrix.events[rows],
        bad=matrix.bad[rows],
        first=matrix.first[rows],
        values=matrix.values[rows],
        left_out=len(matrix.processes) - len(rows),
    )
