"""Measures of each row in each step: sizes of activations, gradients and updates, zeros, and what is not finite."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.view.progress.rows import ProgressRow, row_of
from tensordbg.analysis.view.records.columns import EventColumns
from tensordbg.analysis.warnings.study.series import Floats
from tensordbg.analysis.warnings.study.study import Study
from tensordbg.analysis.warnings.study.training import gradients_of_variables
from tensordbg.operations.kinds import Kind

Rows = tuple[ProgressRow, ...]


@dataclass(frozen=True)
class Cells:
    """A number for a row in a step, with the event that shows it; columns, in no order."""

    row: Ints
    step: Ints
    value: Floats
    event: Ints


@dataclass(frozen=True)
class _Sums:
    """Sums over several tensors, one for each row and step in which there is any."""

    key: Ints
    """Row and step."""
    squares: Floats
    size: Floats
    zeros: Floats
    event: Ints
    """Of the tensor that was computed last."""


_STEPS = 1 << 40


def sizes(study: Study, rows: Rows) -> Cells:
    """The root of the mean square of what each row puts out: it does not depend on how many elements there are."""
    sums = _sums(study, _put_out(study, rows))
    return _cells(sums, np.sqrt(sums.squares / np.maximum(sums.size, 1)))


def zeros(study: Study, rows: Rows) -> Cells:
    """The share of zeros among what each row puts out."""
    sums = _sums(study, _put_out(study, rows))
    return _cells(sums, sums.zeros / np.maximum(sums.size, 1))


def gradients(study: Study, rows: Rows) -> Cells:
    """The norm of the gradients of what each row trains."""
    sums = _sums(study, _of_variables(rows, gradients_of_variables(study)))
    return _cells(sums, np.sqrt(sums.squares))


def updates(study: Study, rows: Rows) -> Cells:
    """The norm of what is added to the variables of each row over the norm of these, where both were recorded."""
    added = {variable: _added(study, variable) for row in rows for variable in row.variables}
    held = {study.variable_of[port]: [k] for port, k in reversed(study.reads) if added.get(study.variable_of[port])}
    delta = _sums(study, _of_variables(rows, {variable: found for variable, found in added.items() if found}))
    weight = _sums(study, _of_variables(rows, held))
    shared, here, there = np.intersect1d(delta.key, weight.key, return_indices=True)
    # What begins with zeros has no size to compare with yet.
    known = weight.squares[there] > 0
    shared, here, there = shared[known], here[known], there[known]
    ratio = np.sqrt(delta.squares[here] / weight.squares[there])
    return Cells(shared // _STEPS, shared % _STEPS, ratio, delta.event[here])


MEASURES: Mapping[str, tuple[Callable[[Study, Rows], Cells], bool]] = MappingProxyType(
    {
        "activations": (sizes, False),
        "gradients": (gradients, True),
        "updates": (updates, True),
        "zeros": (zeros, False),
    }
)
"""By name; and whether it is told of what is trained, not of what is computed forward."""


def bad_cells(opened: EventColumns, rows: Rows) -> Cells:
    """How many elements are not finite of all that each row computes; 0 where all are."""
    sites = opened.columns.whole("site")
    row = row_of(rows, int(sites.max(initial=-1)) + 1)[sites]
    step = opened.columns.whole("step").astype(np.int64)
    chosen = np.flatnonzero((row >= 0) & (step >= 0))
    bad = np.maximum(opened.columns.non_finite()[chosen], 0).astype(np.float64)
    key = row[chosen] * _STEPS + step[chosen]
    # Of a row and a step the worst event, and where none is bad the first.
    order = np.lexsort((-chosen, bad, key))
    last = order[np.flatnonzero(np.diff(key[order], append=-1))]
    return Cells(key[last] // _STEPS, key[last] % _STEPS, bad[last], chosen[last])


def _put_out(study: Study, rows: Rows) -> list[tuple[int, int]]:
    """Row and series of what rows put out; of what is computed for training and otherwise too only the former."""
    found = []
    for number, row in enumerate(rows):
        series = [k for port in row.ports for k in study.at.get(port, ())]
        trained = [k for k in series if study.learning[study.port[k]]]
        found += [(number, k) for k in trained or series]
    return found


def _of_variables(rows: Rows, series: Mapping[int, list[int]]) -> list[tuple[int, int]]:
    return [
        (number, k)
        for number, row in enumerate(rows)
        for variable in row.variables
        for k in series.get(variable, ())
    ]  # fmt: skip


def _added(study: Study, variable: int) -> list[int]:
    """The series of what is added to a variable, or taken from it."""
    shape = study.program.variables[variable].shape
    return [
        k
        for site in study.writers.get(variable, ())
        if operation_of(site).kind in (Kind.ASSIGN_ADD, Kind.ASSIGN_SUBTRACT)
        for port in study.wiring.parents(int(study.ports.first[site.site]))
        for k in study.at.get(port, ())
        if study.words[1][k] == shape
    ]


def _sums(study: Study, chosen: list[tuple[int, int]]) -> _Sums:
    series = study.series
    parts = [np.arange(series.starts[k], series.starts[k + 1]) for _, k in chosen]
    at = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
    row = np.repeat(np.array([row for row, _ in chosen], dtype=np.int64), [len(part) for part in parts])
    measured = np.isfinite(series.squares[at]) & (series.size[at] > 0)
    at, row = at[measured], row[measured]
    key, place = np.unique(row * _STEPS + series.step[at], return_inverse=True)
    event = np.zeros(len(key), dtype=np.int64)
    np.maximum.at(event, place, series.event[at])

    def added(column: Ints | Floats) -> Floats:
        return np.bincount(place, weights=column, minlength=len(key)).astype(np.float64)

    return _Sums(
        key=key,
        squares=added(series.squares[at]),
        size=added(series.size[at]),
        zeros=added(np.maximum(series.zero[at], 0)),
        event=event,
    )


def _cells(sums: _Sums, value: Floats) -> Cells:
    return Cells(sums.key // _STEPS, sums.key % _STEPS, value, sums.event)
