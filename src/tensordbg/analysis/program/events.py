"""The tensor events and executions of a trace as columns, and what is not finite among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints, TraceSource, flat_lists, integers, tensor_pieces
from tensordbg.analysis.program.description import Program
from tensordbg.model import FIRST_VARIABLE_INPUT, NONE


@dataclass(frozen=True)
class Events:
    """Columns of `tensors`, in order of their number; row k is event k."""

    execution: Ints
    """Row of `Executions`, `NONE` for what no recorded execution caused."""
    site: Ints
    slot: Ints
    path: Ints
    frame: Ints
    iteration: Ints
    """`NONE` outside of loops."""
    bad: Bools
    """Whether any element is infinite or NaN."""
    nan: Bools
    """Whether any element is NaN."""
    run: Ints
    """Which run of a pipeline's function; 0 for what the execution itself computed."""
    unmeasured: Bools | None
    """Whether it isn't known of any element what it is, as of a sparse tensor; None where that was not asked."""

    def __len__(self) -> int:
        return len(self.site)


@dataclass(frozen=True)
class Executions:
    """Columns of `executions`, in order of their number."""

    number: Ints
    function: Ints
    """`NONE` for an eager operation."""
    site: Ints
    step: Ints
    graph: Ints
    """The graph that the function runs, `NONE` for an eager operation."""
    failed: Bools
    """Which calls of functions raised an error, and so returned nothing."""
    input_starts: Ints
    """Where each execution's inputs begin; one element more than there are executions."""
    input_row: Ints
    """For each input the row of the execution that made it, else `NONE`."""
    input_slot: Ints
    input_variable: Ints
    """For each input the variable that it is the handle of, else `NONE`."""

    def __len__(self) -> int:
        return len(self.number)


_PLACE = {
    "execution": np.int32, "site": np.int32, "slot": np.int32, "path": np.int32, "frame": np.int64,
    "iteration": np.int64,
}  # fmt: skip
"""Columns of `tensors` that tell where and when; rows of executions, as they become, and most others are small."""


def read_bad(trace: TraceSource) -> tuple[Bools, Bools]:
    """Which tensors hold a NaN or an infinity, and which a NaN."""
    count = trace.count("tensors")
    bad, nan = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    for rows, table in tensor_pieces(trace, ["nan", "first_bad"]):
        nan[rows] = integers(table, "nan") > 0
        bad[rows] = integers(table, "first_bad", NONE) != NONE
    return bad, nan


def read_executions(trace: TraceSource, program: Program) -> Executions:
    """Read the executions; producers that the trace does not hold count as unknown."""
    table = trace.table("executions", ["execution", "function", "site", "step", "failed", "inputs"])
    number, function = integers(table, "execution"), integers(table, "function", NONE)
    starts, packed = flat_lists(table, "inputs")
    graph_of = np.full(max(program.functions, default=-1) + 2, NONE, dtype=np.int64)  # the last: of no function
    for each in program.functions.values():
        graph_of[each.function] = each.graph
    known = np.where((function >= 0) & (function < len(graph_of) - 1), function, -1)
    made_by = np.where(packed >= 0, packed >> 16, 0)
    return Executions(
        number=number,
        function=function,
        site=integers(table, "site", NONE),
        step=integers(table, "step", NONE),
        graph=graph_of[known],
        failed=integers(table, "failed") > 0,
        input_starts=starts,
        input_row=row_of(number, made_by),
        input_slot=np.where(packed >= 0, packed & 0xFFFF, 0),
        input_variable=np.where(packed < NONE, FIRST_VARIABLE_INPUT - packed, NONE),
    )


def read_events(trace: TraceSource, executions: Executions, bad: Bools, nan: Bools) -> Events:
    """Read where and when each tensor was computed."""
    columns = {name: np.empty(len(bad), dtype=dtype) for name, dtype in _PLACE.items()}
    run = no_runs(len(bad))
    unmeasured = np.zeros(len(bad), dtype=np.bool_)
    for rows, table in tensor_pieces(trace, [*_PLACE, "run", "nan"]):
        unmeasured[rows] = integers(table, "nan", NONE) == NONE
        some = integers(table, "run")
        if some.any():
            run = run if run.flags.writeable else run.copy()
            run[rows] = some
        for name, column in columns.items():
            given = integers(table, name, NONE)
            column[rows] = row_of(executions.number, given) if name == "execution" else given
    return Events(**columns, bad=bad, nan=nan, run=run, unmeasured=unmeasured if unmeasured.any() else None)


def no_runs(count: int) -> Ints:
    """The column `run` where no pipeline's function ran; it takes no memory."""
    return np.broadcast_to(np.zeros(1, dtype=np.int64), count)


def row_of(numbers: Ints, wanted: Ints) -> Ints:
    """Where each wanted number stands in an ascending column, `NONE` where it does not."""
    if not len(numbers):
        return np.full(len(wanted), NONE, dtype=np.int64)
    if numbers[-1] - numbers[0] == len(numbers) - 1:  # without gaps, as a rule
        row = wanted - numbers[0]
        return np.where((row >= 0) & (row < len(numbers)), row, NONE)
    row = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
    return np.where(numbers[row] == wanted, row, NONE)
