"""Turns raw segments into the tables `tensors` and `executions`, all events of a segment at once.

`Decoder` goes through the segments in order, since an event may belong to what began in an earlier one. What it gives
for each is small; columns of tensors are made from the segment's memory when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tensordbg.health.spec import DTYPES
from tensordbg.model import NONE
from tensordbg.trace.program.calls import CallGraph
from tensordbg.trace.program.catalog import Catalog
from tensordbg.trace.raw.executions import ExecutionAssembly, Executions, numbers
from tensordbg.trace.raw.record import EXECUTION_RECORD, RecordFlag, RecordKind
from tensordbg.trace.raw.segments import RawSegment
from tensordbg.trace.raw.shapes import UNKNOWN_RANK, shape_column
from tensordbg.trace.raw.sketches import holds_sketch, sketches_in
from tensordbg.trace.raw.small_elements import bytes_in
from tensordbg.trace.raw.soundness import KnownNumbers
from tensordbg.trace.raw.steps import BEGINNING, OWN_RUN, Calls, Joined, Marks, StepJoin
from tensordbg.trace.schema import TENSORS

Array = npt.NDArray[Any]

_AT_ONCE = 4096
"""Of so many events all columns are made before the next are read: their records, 1 MiB, stay in a core's cache."""

_SUMS = 4
"""Sums of a sketch that depend on the order."""


@dataclass(frozen=True)
class Program:
    """The parts of the recorded program that decoding needs."""

    catalog: Catalog
    clock_offset_ns: int

    @cached_property
    def known(self) -> KnownNumbers:
        """The numbers that stand for something."""
        return KnownNumbers.of(self.catalog)

    @cached_property
    def calls(self) -> CallGraph:
        """Which graphs run with each function."""
        return CallGraph(self.catalog)


@dataclass(frozen=True)
class DecodedSegment:
    """The tensor events of one segment, and the executions that are complete with it."""

    first: int
    """Number of the first tensor event."""
    executions: Executions
    raw: RawSegment
    rows: Array
    """Where the tensor events lie in its records."""
    execution: Array
    step: Array
    run: Array
    devices: tuple[str, ...]
    clock_offset_ns: int
    damaged: int
    """How many of its slots hold something else than an event, or what can't be."""

    def __len__(self) -> int:
        return len(self.rows)

    def tensors(self, columns: Sequence[str], begin: int = 0, end: int | None = None) -> pa.Table:
        """Columns of the table `tensors`, of all events or of a slice of them."""
        schema = pa.schema([TENSORS.field(name) for name in columns])
        end = len(self) if end is None else min(end, len(self))
        spans = [slice(at, min(at + _AT_ONCE, end)) for at in range(begin, end, _AT_ONCE)]
        tables = [self._part(span).table(schema) for span in spans]
        self.raw.release()
        return pa.concat_tables(tables) if tables else schema.empty_table()

    def _part(self, span: slice) -> _Part:
        return _Part(
            first=self.first + span.start,
            rows=_as_slice(self.rows[span]),
            execution=self.execution[span],
            step=self.step[span],
            run=self.run[span],
            segment=self,
        )


class Decoder:
    """Decodes segment after segment, from the beginning or from what `state()` gave."""

    def __init__(self, program: Program, state: Mapping[str, Any]) -> None:
        """Goes on from a state; `{}` is the beginning.

        Raises:
            LookupError, TypeError, ValueError: If the state is damaged.
        """
        self._clock_offset_ns = program.clock_offset_ns
        names = program.catalog.devices
        self._devices = tuple(names.get(number, "") for number in range(min(max(names) + 1, 2**16)))
        self._known = program.known
        self._first = int(state.get("events", 0))
        self._newest = int(state.get("newest", 0))
        self._assembly = ExecutionAssembly(program.clock_offset_ns, state.get("executions", ((), ())))
        self._join = StepJoin(program.calls, state.get("steps", BEGINNING))

    def state(self) -> dict[str, Any]:
        """The state, for JSON."""
        numbers = {"events": self._first, "newest": self._newest}
        return {**numbers, "executions": self._assembly.state(), "steps": self._join.state()}

    def unfinished(self) -> Executions:
        """The executions that were not complete with the last segment."""
        return self._assembly.unfinished()

    def decode(self, segment: RawSegment) -> DecodedSegment:
        """Decodes the next segment."""
        records = segment.records
        sound = self._sound(records[_as_slice(segment.rows)])
        every = segment.rows[sound]
        kinds = records["kind"][every]
        of_tensors = kinds <= RecordKind.EAGER_TENSOR
        rows = every[of_tensors]
        rest = every[~of_tensors]
        lifecycle = records[rest].view(EXECUTION_RECORD)
        executions = self._assembly.add(lifecycle)
        causes = self._causes(segment, rows, (rest, lifecycle))
        decoded = DecodedSegment(
            first=self._first,
            executions=executions,
            raw=segment,
            rows=rows,
            execution=causes.execution,
            step=causes.step,
            run=causes.run,
            devices=self._devices,
            clock_offset_ns=self._clock_offset_ns,
            damaged=segment.damaged + len(segment.rows) - len(every),
        )
        segment.release()
        self._first += len(rows)
        return decoded

    def _sound(self, records: Array) -> Array:
        """Which records can be believed; a tensor of an execution that has not begun yet can't."""
        sound = self._known.sound(records)
        begun = records["owner"][sound & (records["kind"] == RecordKind.EXECUTION_BEGIN)]
        self._newest = int(begun.max(initial=self._newest))
        result: Array = sound & ((records["kind"] != RecordKind.EAGER_TENSOR) | (records["owner"] <= self._newest))
        return result

    def _causes(self, segment: RawSegment, rows: Array, lifecycle: tuple[Array, Array]) -> Joined:
        """The execution of each tensor event, and its step and run."""
        execution = segment.records["owner"][rows]
        in_graph = segment.records["kind"][rows] == RecordKind.GRAPH_TENSOR
        step = np.full(len(rows), NONE, dtype=np.int64)
        step[~in_graph] = self._assembly.steps_of(execution[~in_graph])
        events = Marks(rows[in_graph], execution[in_graph])
        sites = segment.records["site"][events.position].astype(np.int64)
        joined = self._join.join(segment.index, *_lifecycle(*lifecycle), events, sites)
        execution[in_graph], step[in_graph] = joined.execution, joined.step
        run = np.broadcast_to(np.int64(OWN_RUN), len(rows))  # as a rule all are, and it takes no memory then
        if (joined.run != OWN_RUN).any():
            run = np.full(len(rows), OWN_RUN)
            run[in_graph] = joined.run
        return Joined(execution, step, run)


def _lifecycle(position: Array, records: Array) -> tuple[Calls, Marks]:
    """The beginnings of function executions, and all ends."""
    begins = (records["kind"] == RecordKind.EXECUTION_BEGIN) & (records["flags"] & RecordFlag.FUNCTION != 0)
    ends = records["kind"] == RecordKind.EXECUTION_END
    calls = Calls(
        position=position[begins],
        execution=records["owner"][begins],
        function=records["function"][begins].astype(np.int64),
        step=records["iteration"][begins],
    )
    return calls, Marks(position[ends], records["owner"][ends])


@dataclass(frozen=True)
class _Part:
    """The events of which columns are made."""

    first: int
    rows: Array | slice
    execution: Array
    step: Array
    run: Array
    segment: DecodedSegment

    def table(self, schema: pa.Schema) -> pa.Table:
        """The columns of a schema."""
        return pa.table([_COLUMNS[name](self) for name in schema.names], schema=schema)

    def raw(self, name: str) -> Array:
        """One field of the records."""
        values: Array = self.segment.raw.records[name][self.rows]
        return values

    @cached_property
    def records(self) -> Array:
        """The whole records, copied by their bytes where there are gaps: NumPy would copy field by field."""
        records = self.segment.raw.records
        if isinstance(self.rows, slice):
            return records[self.rows]
        rows = records.view(np.uint64).reshape(len(records), -1)[self.rows]
        result: Array = rows.reshape(-1).view(records.dtype)
        return result

    @cached_property
    def sketches(self) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
        """Which records hold a sketch, and those."""
        held = holds_sketch(self.records)
        return held, sketches_in(self.records["dims"][held])

    def flagged(self, flag: RecordFlag) -> Array:
        """Which events have one of some flags."""
        flags: Array = self.raw("flags") & flag != 0
        return flags


def _as_slice(rows: Array) -> Array | slice:
    """Rows without a gap are read several times faster as a slice."""
    if len(rows) and rows[-1] - rows[0] == len(rows) - 1:
        return slice(int(rows[0]), int(rows[-1]) + 1)
    return rows


def _field(name: str, kind: type[Any]) -> Callable[[_Part], pa.Array]:
    return lambda part: pa.array(np.ascontiguousarray(part.raw(name)).astype(kind, copy=False))


def _measured(name: str, flag: RecordFlag = RecordFlag.HEALTH) -> Callable[[_Part], pa.Array]:
    """A field that is there only where health was measured, or that part of it which a flag stands for."""
    return lambda part: pa.array(np.ascontiguousarray(part.raw(name)), mask=~part.flagged(RecordFlag.HEALTH | flag))


def _positive(part: _Part) -> pa.Array:
    rest = [part.raw(name) for name in ("negative", "zero", "neg_inf", "pos_inf", "nan")]
    return pa.array(part.raw("size") - sum(rest), mask=~part.flagged(RecordFlag.HEALTH | RecordFlag.SIGNS))


def _event(part: _Part) -> pa.Array:
    return pa.array(np.arange(part.first, part.first + len(part.execution), dtype=np.int64))


def _iteration(part: _Part) -> pa.Array:
    return pa.array(np.ascontiguousarray(part.raw("iteration")), mask=part.raw("frame") == 0)


def _size(part: _Part) -> pa.Array:
    return pa.array(
        np.ascontiguousarray(part.raw("size")), mask=(part.raw("rank") == UNKNOWN_RANK) & ~part.flagged(RecordFlag.SIZE)
    )


def _value_position(part: _Part) -> pa.Array:
    position = part.raw("value_position")
    return pa.array(position - 1, mask=position <= 0)


def _sum_abs(part: _Part) -> pa.Array:
    held, sketches = part.sketches
    column = np.zeros(len(held))
    column[held] = sketches[:, 0]
    return pa.array(column, mask=~held)


def _sketch(part: _Part) -> pa.Array:
    held, sketches = part.sketches
    ends = np.concatenate([[0], np.cumsum(np.where(held, _SUMS, 0))]).astype(np.int32)
    values = pa.array(np.ascontiguousarray(sketches[:, 1:]).reshape(-1))
    return pa.ListArray.from_arrays(pa.array(ends), values, mask=pa.array(~held))


def _elements(part: _Part) -> pa.Array:
    held, length, data = bytes_in(part.records)
    ends = np.concatenate([[0], np.cumsum(length)]).astype(np.int32)
    marks = np.packbits(held, bitorder="little")
    buffers = [pa.py_buffer(marks), pa.py_buffer(ends), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.binary(), len(held), buffers, int((~held).sum()))


def _word(number: Array, words: tuple[str, ...]) -> pa.Array:
    """A column of words by number; the first word stands for a number that has none."""
    known = np.where(number < len(words), number, 0).astype(np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(known), pa.array(words, pa.string()))


_COLUMNS: dict[str, Callable[[_Part], pa.Array]] = {
    "event": _event,
    "time_ns": lambda part: pa.array(part.raw("time_ns") + part.segment.clock_offset_ns),
    "execution": lambda part: pa.array(part.execution),
    "step": lambda part: pa.array(part.step),
    "run": lambda part: pa.array(np.ascontiguousarray(part.run)),
    "site": lambda part: pa.array(numbers(part.raw("site"))),
    "slot": _field("slot", np.int32),
    "path": lambda part: pa.array(numbers(part.raw("path"))),
    "frame": _field("frame", np.int64),
    "iteration": _iteration,
    "device": lambda part: _word(part.raw("device"), part.segment.devices),
    "thread": _field("thread", np.int64),
    "dtype": lambda part: _word(part.raw("dtype"), DTYPES),
    "shape": lambda part: shape_column(part.raw("rank"), part.raw("dims")),
    "size": _size,
    "negative": _measured("negative", RecordFlag.SIGNS),
    "zero": _measured("zero", RecordFlag.SIGNS),
    "positive": _positive,
    "neg_inf": _measured("neg_inf", RecordFlag.SPECIALS),
    "pos_inf": _measured("pos_inf", RecordFlag.SPECIALS),
    "nan": _measured("nan", RecordFlag.SPECIALS),
    "subnormal": _measured("subnormal"),
    "first_bad": _measured("first_bad", RecordFlag.FINITENESS),
    "min": _measured("min"),
    "max": _measured("max"),
    "sum": _measured("sum"),
    "sum_squares": _measured("sum_squares"),
    "value_position": _value_position,
    "sum_abs": _sum_abs,
    "sketch": _sketch,
    "elements": _elements,
}
