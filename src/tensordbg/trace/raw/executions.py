"""Puts executions together from their records: the beginning, further inputs and the end may lie segments apart.

Everything is done on columns. An eager operation is recorded once it has run, by its beginning alone; the call of a
function is open until its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tensordbg.model import NONE
from tensordbg.trace.raw.record import MAX_INPUTS, RecordFlag, RecordKind
from tensordbg.trace.schema import EXECUTIONS

Array = npt.NDArray[Any]

_KEPT_PER_THREAD = 4
"""Of so many eager executions of each thread the step is remembered into the next segment, where tensors may follow."""


@dataclass(frozen=True)
class Executions:
    """Executions as columns, by number."""

    number: Array
    function: Array
    site: Array
    step: Array
    thread: Array
    begin_ns: Array
    end_ns: Array
    ended: Array
    failed: Array
    more: Array
    """Whether its last record was full of inputs, so that another one may follow."""
    counts: Array
    """How many inputs each has."""
    inputs: Array
    """All inputs, end to end."""

    def __len__(self) -> int:
        return len(self.number)

    def where(self, chosen: Array) -> Executions:
        """Those that are chosen."""
        columns = {name: getattr(self, name)[chosen] for name in _COLUMNS}
        return Executions(**columns, inputs=self.inputs[np.repeat(chosen, self.counts)])

    def to_table(self) -> pa.Table:
        """As the table `executions`."""
        starts = np.concatenate([[0], np.cumsum(self.counts)]).astype(np.int32)
        return pa.table(
            [
                pa.array(self.number),
                pa.array(self.function),
                pa.array(self.site),
                pa.array(self.step),
                pa.array(self.thread),
                pa.array(self.begin_ns),
                pa.array(self.end_ns, mask=~self.ended),
                pa.array(self.failed),
                pa.ListArray.from_arrays(pa.array(starts), pa.array(self.inputs)),
            ],
            schema=EXECUTIONS,
        )

    def to_json(self) -> list[list[Any]]:
        """All columns as lists."""
        return [getattr(self, column.name).tolist() for column in fields(self)]

    @classmethod
    def from_json(cls, columns: Sequence[Sequence[Any]]) -> Executions:
        """The reverse of `to_json`."""
        return cls(*(np.array(column, dtype=kind) for column, kind in zip(columns, _TYPES, strict=True)))


_TYPES = (np.int64, np.int32, np.int32, np.int64, np.int64, np.int64, np.int64, bool, bool, bool, np.int64, np.int64)
_COLUMNS = tuple(column.name for column in fields(Executions) if column.name != "inputs")


class ExecutionAssembly:
    """Goes through the segments in order and remembers what is not complete."""

    def __init__(self, clock_offset_ns: int, state: Sequence[Any] = ((), ())) -> None:
        """Begins, or goes on from what `state()` gave."""
        self._clock_offset_ns = clock_offset_ns
        carried, recent = state
        self._carried = Executions.from_json(carried or [[]] * len(_TYPES))
        self._recent = np.array(recent, dtype=np.int64).reshape(-1, 2)
        """Number and step of eager executions that were given out."""
        self._steps = self._recent

    def state(self) -> list[Any]:
        """The state, for JSON."""
        return [self._carried.to_json(), self._recent.tolist()]

    def unfinished(self) -> Executions:
        """Those that would be complete only with another segment."""
        return self._carried

    def add(self, records: Array) -> Executions:
        """Takes the execution records of one segment, in order; gives the executions that are complete with it."""
        merged = self._merge(records)
        started = ~np.isin(merged.number, self._carried.number)
        # An eager operation waits only for inputs that did not fit, and only for one segment.
        complete = np.where(merged.function == NONE, ~(merged.more & started), merged.ended)
        steps = np.column_stack([merged.number, merged.step])
        self._steps = np.concatenate([self._recent, steps])
        self._recent = steps[_last_of_threads(merged)]
        self._carried = merged.where(~complete)
        return merged.where(complete)

    def steps_of(self, numbers: Array) -> Array:
        """The steps of executions that have tensors in the segment that was added last, `NONE` where unknown."""
        if not len(self._steps):
            return np.full(len(numbers), NONE, dtype=np.int64)
        known, where = np.unique(self._steps[:, 0], return_index=True)
        place = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
        return np.where(known[place] == numbers, self._steps[where[place], 1], NONE)

    def _merge(self, records: Array) -> Executions:
        """The carried executions and those that begin, with all that is known of them."""
        carried = self._carried
        begins = records[records["kind"] == RecordKind.EXECUTION_BEGIN]
        number, first = np.unique(np.concatenate([carried.number, begins["owner"]]), return_index=True)
        function = np.where(begins["flags"] & RecordFlag.FUNCTION, numbers(begins["function"]), NONE)
        begin_ns = begins["time_ns"] + self._clock_offset_ns
        counts, inputs, more = _inputs(number, carried, records)
        end_ns, ended, failed = self._ends(number, records)
        function = np.concatenate([carried.function, function])[first].astype(np.int32)
        begin_ns = np.concatenate([carried.begin_ns, begin_ns])[first]
        eager = function == NONE
        return Executions(
            number=number,
            function=function,
            site=np.concatenate([carried.site, numbers(begins["site"])])[first],
            step=np.concatenate([carried.step, begins["iteration"]])[first],
            thread=np.concatenate([carried.thread, begins["thread"].astype(np.int64)])[first],
            begin_ns=begin_ns,
            end_ns=np.where(eager, begin_ns, end_ns),
            ended=eager | ended,
            failed=failed | _failed_at_once(number, begins),
            more=more,
            counts=counts,
            inputs=inputs,
        )

    def _ends(self, number: Array, records: Array) -> tuple[Array, Array, Array]:
        ends = records[records["kind"] == RecordKind.EXECUTION_END]
        place, known = _places(number, ends["owner"])
        end_ns = np.zeros(len(number), dtype=np.int64)
        ended, failed = np.zeros(len(number), dtype=bool), np.zeros(len(number), dtype=bool)
        end_ns[place] = (ends["time_ns"] + self._clock_offset_ns)[known]
        ended[place] = True
        failed[place] = (ends["flags"] & RecordFlag.FAILED != 0)[known]
        return end_ns, ended, failed


def _failed_at_once(number: Array, begins: Array) -> Array:
    """Which executions began with an error: eager operations, whose end is their beginning."""
    result: Array = np.isin(number, begins["owner"][begins["flags"] & RecordFlag.FAILED != 0])
    return result


def one_of_each(table: pa.Table) -> pa.Table:
    """The table `executions` in order of their numbers; of several with one number, which damage makes, the first."""
    table = table.sort_by("execution")
    number = table.column("execution").to_numpy()
    again = np.flatnonzero(np.diff(number) == 0)
    return table.take(np.delete(np.arange(len(number)), again + 1)) if len(again) else table


def is_ordered(table: pa.Table) -> bool:
    """Whether all executions in a table have numbers of their own and are in order of these."""
    return bool(np.all(np.diff(table.column("execution").to_numpy()) > 0))


def numbers(column: Array) -> Array:
    """Numbers of sites and the like, of which the largest stands for none."""
    # As int64 first: an unsigned column can't take the -1 that stands for none.
    return np.where(column < 2**31, column.astype(np.int64), NONE).astype(np.int32)


def _inputs(number: Array, carried: Executions, records: Array) -> tuple[Array, Array, Array]:
    """For the executions with these numbers: how many inputs each has, all inputs, whether more may come."""
    holders = records[records["kind"] != RecordKind.EXECUTION_END]
    ranks = np.minimum(holders["rank"], MAX_INPUTS)
    values = holders["inputs"][np.arange(MAX_INPUTS) < ranks[:, None]]
    owners = np.concatenate([np.repeat(carried.number, carried.counts), np.repeat(holders["owner"], ranks)])
    place, known = _places(number, owners)
    order = np.argsort(place, kind="stable")
    inputs = np.concatenate([carried.inputs, values])[known][order]
    more = np.zeros(len(number), dtype=bool)
    more[np.searchsorted(number, carried.number)] = carried.more
    holder, found = _places(number, holders["owner"])
    more[holder] = (ranks == MAX_INPUTS)[found]
    return np.bincount(place, minlength=len(number)), inputs, more


def _places(number: Array, owners: Array) -> tuple[Array, Array]:
    """Where owners stand among ascending numbers, and which owners do at all."""
    if not len(number):
        return np.zeros(0, dtype=np.int64), np.zeros(len(owners), dtype=bool)
    place = np.minimum(np.searchsorted(number, owners), len(number) - 1)
    known = number[place] == owners
    return place[known], known


def _last_of_threads(executions: Executions) -> Array:
    """Rows of the last few eager executions of each thread."""
    rows = np.flatnonzero(executions.function == NONE)
    order = rows[np.argsort(executions.thread[rows], kind="stable")]
    thread = executions.thread[order]
    ends = np.searchsorted(thread, thread, side="right")
    return np.sort(order[ends - np.arange(len(order)) <= _KEPT_PER_THREAD])
