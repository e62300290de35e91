"""Which results of eager operations the program read, and which nothing did."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.operations import INPUT
from tensordbg.model import NONE

_SLOTS = 1 << 16


def was_read(values: Values, execution: Ints, slot: Ints) -> Bools:
    """For some results whether the program is known to have read them."""
    executions, reads = values.executions, values.program.reads
    if reads is None:
        return np.zeros(len(execution), dtype=np.bool_)
    result: Bools = np.isin(executions.number[execution] * _SLOTS + slot, _keys(reads.values)[0])
    result |= _eager(values, execution) & np.isin(executions.site[execution] * _SLOTS + slot, _keys(reads.always)[0])
    return result


def read_at(values: Values, execution: Ints, slot: Ints) -> Ints:
    """For some results the stack at which the program first read them, `NONE` where it did not, or it is not known."""
    reads = values.program.reads
    if reads is None or not reads.values:
        return np.full(len(execution), NONE, dtype=np.int64)
    keys, rows = _keys(reads.values)
    order = np.argsort(keys, kind="stable")
    wanted = values.executions.number[execution] * _SLOTS + slot
    place = order[np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)]
    result: Ints = np.where(keys[place] == wanted, rows[place, -1], NONE)
    return result


def nothing_read(values: Values, execution: Ints, slot: Ints) -> Bools:
    """For some results whether they are of eager operations, and neither Python nor any operation took them."""
    executions = values.executions
    if values.program.reads is None:
        return np.zeros(len(execution), dtype=np.bool_)
    taken = executions.input_row.astype(np.int64) * _SLOTS + executions.input_slot
    used = np.isin(execution * _SLOTS + slot, taken)
    result: Bools = _eager(values, execution) & ~used & ~was_read(values, execution, slot)
    return result


def _eager(values: Values, execution: Ints) -> Bools:
    """Whether they are of eager operations; what came in from outside is none."""
    executions = values.executions
    came_in = [site.site for site in values.program.sites.values() if site.op_type == INPUT]
    site = executions.site[execution]
    result: Bools = (executions.function[execution] == NONE) & (site != NONE) & ~np.isin(site, came_in)
    return result


def _keys(rows: tuple[tuple[int, ...], ...]) -> tuple[Ints, Ints]:
    """What the first two numbers of each row are known by, and the rows as a table."""
    table = np.array(rows or ((NONE, 0),), dtype=np.int64)
    return table[:, 0] * _SLOTS + table[:, 1], table
