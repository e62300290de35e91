"""Writes events into a trace from Python, for programs that were recorded by other means than the native log.

They come in the order in which they shall stand: an execution begins, its tensors follow, it ends.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.errors import RecordingError
from tensordbg.health.spec import DTYPE_NUMBERS
from tensordbg.model import NONE, Health
from tensordbg.trace.program.metadata import VALUE_FILE_BYTES
from tensordbg.trace.raw.record import EXECUTION_RECORD, MAX_DIMS, MAX_INPUTS, TENSOR_RECORD, RecordFlag, RecordKind
from tensordbg.trace.raw.shapes import UNKNOWN_RANK

UNKNOWN_INPUT = -1
NOTHING = RecordFlag(0)
VALUE_ALIGNMENT = 64
_NO_FUNCTION = 0xFFFFFFFF
_HEALTH_FIELDS = (
    "negative", "zero", "neg_inf", "pos_inf", "nan", "subnormal", "first_bad", "min", "max", "sum", "sum_squares",
)  # fmt: skip


@dataclass(frozen=True)
class Moment:
    """When and where in the program something was computed."""

    time_ns: int
    """By the clock of the trace, see `TraceMetadata.clock_offset_ns`."""
    path: int = 0
    frame: int = 0
    iteration: int = 0
    device: int = 0


@dataclass(frozen=True)
class TensorEvent:
    """The record of a tensor; of the health it has what the flags name."""

    dtype: str = "unknown"
    shape: tuple[int, ...] | None = None
    size: int | None = None
    """May be known without the shape."""
    health: Health | None = None
    flags: RecordFlag = NOTHING
    elements: npt.NDArray[Any] | None = None
    """Those that are to be kept, with the dtype, shape and health above."""


@dataclass(frozen=True)
class ExecutionEvent:
    """The beginning of an execution."""

    site: int
    step: int
    function: int = NONE
    inputs: Sequence[int] = ()
    """As in the table `executions`."""


def input_reference(execution: int, slot: int) -> int:
    """How an execution names a result of another as its input."""
    return execution << 16 | slot


class EventWriter:
    """Writes the events of one trace, segment after segment."""

    def __init__(self, folder: Path, slots: int) -> None:
        """Begins.

        Args:
            folder: Of a trace that `TraceWriter.create` has begun.
            slots: Its `segment_records`.
        """
        self._folder = folder
        self._segment = np.zeros(slots, TENSOR_RECORD)
        self._written = 0
        self._executions = 0
        self._value_bytes = 0
        self.tensors = 0
        """How many tensors were written."""

    def __enter__(self) -> EventWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Writes the last segment."""
        self._flush()

    def names(self, kind: str, names: Iterable[str]) -> None:
        """Writes the call paths (kind `path`) or devices (`device`) by number; the first is "".

        Raises:
            RecordingError: If they can't be written.
        """
        lines = [json.dumps({"kind": kind, "id": number, "name": name}) for number, name in enumerate(names)]
        try:
            with (self._folder / "names.jsonl").open("a", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in lines)
        except OSError as error:
            raise _cannot_write(self._folder, error) from error

    def begin(self, event: ExecutionEvent, time_ns: int) -> int:
        """Begins an execution and returns its number. An eager operation needs no end."""
        self._executions += 1
        rest = list(event.inputs)
        kind = RecordKind.EXECUTION_BEGIN
        while True:
            record = self._new(EXECUTION_RECORD, kind, self._executions, time_ns)
            record["site"], record["iteration"] = event.site, event.step
            record["function"] = _NO_FUNCTION if event.function == NONE else event.function
            record["flags"] = 0 if event.function == NONE else RecordFlag.FUNCTION
            some, rest = rest[:MAX_INPUTS], rest[MAX_INPUTS:]
            record["rank"] = len(some)
            record["inputs"][: len(some)] = some
            self._append(record)
            if not rest:
                return self._executions
            kind = RecordKind.EXECUTION_INPUTS

    def end(self, execution: int, time_ns: int) -> None:
        """Ends the execution of a function."""
        self._append(self._new(EXECUTION_RECORD, RecordKind.EXECUTION_END, execution, time_ns))

    def tensor(self, execution: int, output: tuple[int, int], event: TensorEvent, moment: Moment) -> None:
        """Writes one tensor: the output of a site, by its slot. An execution of -1 stands for none."""
        self.tensors += 1
        record = self._new(TENSOR_RECORD, RecordKind.EAGER_TENSOR, execution, moment.time_ns)
        record["site"], record["slot"] = output
        record["dtype"] = DTYPE_NUMBERS[event.dtype]
        for name in ("path", "frame", "iteration", "device"):
            record[name] = getattr(moment, name)
        record["flags"] = event.flags | _set_shape(record, event)
        if event.health is not None:
            for name in _HEALTH_FIELDS:
                record[name] = getattr(event.health, name)
        if event.elements is not None:
            record["value_position"] = self._keep(event.elements) + 1
        self._append(record)

    def _keep(self, elements: npt.NDArray[Any]) -> int:
        """Writes the elements of a tensor into the files of values; returns their position over all files."""
        position = -(-self._value_bytes // VALUE_ALIGNMENT) * VALUE_ALIGNMENT
        data = np.ascontiguousarray(elements).reshape(-1).view(np.uint8).data
        self._value_bytes = position + len(data)
        done = 0
        try:
            (self._folder / "values").mkdir(exist_ok=True)
            while done < len(data):
                index, offset = divmod(position + done, VALUE_FILE_BYTES)
                part = data[done : done + VALUE_FILE_BYTES - offset]
                with (self._folder / "values" / f"{index:06d}.bin").open("r+b" if offset else "wb") as file:
                    file.seek(offset)
                    file.write(part)
                done += len(part)
        except OSError as error:
            raise _cannot_write(self._folder, error) from error
        return position

    def _new(self, layout: np.dtype[Any], kind: RecordKind, owner: int, time_ns: int) -> np.ndarray[Any, Any]:
        record = np.zeros((), layout)
        record["kind"], record["owner"], record["time_ns"] = kind, owner, time_ns
        return record

    def _append(self, record: np.ndarray[Any, Any]) -> None:
        slots = len(self._segment)
        if self._written and self._written % slots == 0:
            self._flush()
            self._segment[:] = 0
        self._written += 1
        record["sequence"] = self._written
        self._segment[(self._written - 1) % slots] = record.view(TENSOR_RECORD)

    def _flush(self) -> None:
        index = max(self._written - 1, 0) // len(self._segment)
        try:
            self._segment.tofile(self._folder / "segments" / f"{index:06d}.bin")
        except OSError as error:
            raise _cannot_write(self._folder, error) from error


def _set_shape(record: np.ndarray[Any, Any], event: TensorEvent) -> RecordFlag:
    """Enters shape and size, and gives the flags that say what of them is known."""
    flags = RecordFlag(0)
    record["rank"] = UNKNOWN_RANK
    if event.size is not None:
        record["size"] = event.size
        flags |= RecordFlag.SIZE
    if event.shape is None or max(event.shape, default=0) >= 2**32:
        return flags
    dims = list(event.shape)
    if len(dims) > MAX_DIMS:
        dims = [*dims[: MAX_DIMS - 1], min(math.prod(dims[MAX_DIMS - 1 :]), 2**32 - 1)]
        flags |= RecordFlag.MANY_DIMS
    record["rank"], record["size"] = min(len(event.shape), UNKNOWN_RANK - 1), math.prod(event.shape)
    record["dims"][: len(dims)] = dims
    return flags


def _cannot_write(folder: Path, error: OSError) -> RecordingError:
    return RecordingError(f"{folder}: can't be written ({error.strerror}); make room there, or choose another folder")
