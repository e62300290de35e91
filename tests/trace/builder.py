"""Builds real traces for tests: the folder by `TraceWriter`, the raw segments by NumPy, as a recorded program would.

build = TraceBuilder(folder)
build.describe(small_program())
call = build.begin(function=0, site=5)
build.graph_tensor(step_id=77, site=1)
build.end(call)
build.finish()
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from tensordbg.health import measure
from tensordbg.health.spec import DTYPE_NUMBERS
from tensordbg.model import NONE, CallKind, Detail, Frame, Function, Health, Site, SourceFile, TensorRef, Variable
from tensordbg.trace.program.metadata import TraceMetadata, describe_this_process
from tensordbg.trace.raw.record import EXECUTION_RECORD, MAX_INPUTS, TENSOR_RECORD, RecordFlag, RecordKind
from tensordbg.trace.writer import TraceWriter

NO_FUNCTION = 0xFFFFFFFF
CLOCK_OFFSET = 1_000_000_000_000
GONE = 2**22 + 12345
"""A process that does not exist: numbers end below."""


@dataclass(frozen=True)
class ProgramParts:
    """What `TraceBuilder.describe` writes."""

    sites: Sequence[Site] = ()
    functions: Sequence[Function] = ()
    stacks: Sequence[Sequence[Frame]] = ()
    sources: Sequence[SourceFile] = ()
    variables: Sequence[Variable] = ()
    paths: Sequence[str] = ("",)
    devices: Sequence[str] = ("", "/device:CPU:0")


def small_program() -> ProgramParts:
    """Function 0 (`train`: sites 0 to 2) calls function 1 (`inner`: sites 3, 4); sites 5 and 6 are eager."""
    frames = (Frame("/code/train.py", 3, "main", True), Frame("/lib/keras.py", 9, "call", False))
    return ProgramParts(
        sites=(
            Site(0, "x", "Placeholder", 0, 0, dtypes=("float32",), argument=0),
            Site(1, "Log", "Log", 0, 0, inputs=(TensorRef(0, 0),), dtypes=("float32",)),
            Site(2, "call", "PartitionedCall", 0, 0, (TensorRef(1, 0),), call=CallKind.CALL, called=("inner_1",)),
            Site(3, "y", "Placeholder", 1, 0, argument=0),
            Site(4, "mul", "Mul", 1, 0, inputs=(TensorRef(3, 0), TensorRef(3, 0)), reads=(0,)),
            Site(5, "train", "PartitionedCall", NONE, 0, call=CallKind.CALL, called=("train_0",)),
            Site(6, "Add", "AddV2", NONE, 1),
        ),
        functions=(
            Function(0, "train", "train_0", 0, 0, (0,), (TensorRef(2, 0),), (NONE,), "(float32[2, 3])"),
            Function(1, "inner", "inner_1", 1, 0, (3,), (TensorRef(4, 0),), notes=("not compiled by XLA",)),
        ),
        stacks=(frames, (Frame("/code/train.py", 8, "main", True),)),
        sources=(SourceFile("/code/train.py", "ab12", "import tensorflow\n" * 9),),
        variables=(Variable(0, "kernel", "float32", "[3, 2]"),),
        paths=("", "call"),
    )


@dataclass(frozen=True)
class Tensor:
    """What a tensor record says of the tensor itself."""

    shape: tuple[int, ...] | None = (2, 3)
    health: Health | None = field(
        default_factory=lambda: Health(size=6, negative=2, zero=1, min=-1.5, max=4.0, sum=3.0)
    )
    dtype: str = "float32"
    slot: int = 0
    path: int = 0
    frame: int = 0
    iteration: int = 0
    device: int = 1
    thread: int = 7
    elements: np.ndarray[Any, Any] | None = None
    """Those that are kept, with the shape, dtype and health above; see `kept`."""


def kept(elements: np.ndarray[Any, Any], **rest: Any) -> Tensor:
    """A tensor whose elements are kept."""
    return Tensor(elements.shape, measure(elements), elements.dtype.name, elements=elements, **rest)


class TraceBuilder:
    """Collects records and writes them when `finish` or `kill` is called."""

    def __init__(self, folder: Path, segment_records: int = 16, pid: int = GONE) -> None:
        self.folder = folder
        self.slots = segment_records
        self.metadata = builder_metadata(segment_records, pid)
        self.writer = TraceWriter.create(folder, self.metadata)
        self.records: list[np.ndarray[Any, Any]] = []
        self.executions = 0
        self.clock = 0
        self.values = b""

    def describe(self, program: ProgramParts) -> None:
        self.writer.sites(program.sites)
        for function in program.functions:
            self.writer.function(function)
        for number, frames in enumerate(program.stacks):
            self.writer.stack(number, frames)
        for source in program.sources:
            self.writer.source(source)
        for variable in program.variables:
            self.writer.variable(variable)
        names = [("path", program.paths), ("device", program.devices)]
        lines = [{"kind": kind, "id": n, "name": name} for kind, words in names for n, name in enumerate(words)]
        (self.folder / "names.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    def begin(self, site: int, function: int = NONE, step: int = 0, inputs: Sequence[int] = (), thread: int = 7) -> int:
        self.executions += 1
        kind, rest = RecordKind.EXECUTION_BEGIN, list(inputs)
        while True:
            record = self._new(EXECUTION_RECORD, kind, self.executions, thread)
            record["site"], record["iteration"] = site, step
            record["function"] = NO_FUNCTION if function == NONE else function
            record["flags"] = 0 if function == NONE else RecordFlag.FUNCTION
            record["rank"] = len(rest[:MAX_INPUTS])
            record["inputs"][: len(rest[:MAX_INPUTS])] = rest[:MAX_INPUTS]
            kind, rest = RecordKind.EXECUTION_INPUTS, rest[MAX_INPUTS:]
            if not rest:
                return self.executions

    def end(self, execution: int, flags: int = 0) -> None:
        self._new(EXECUTION_RECORD, RecordKind.EXECUTION_END, execution, 7)["flags"] = flags

    def graph_tensor(self, step_id: int, site: int, tensor: Tensor | None = None) -> None:
        self._tensor(RecordKind.GRAPH_TENSOR, step_id, site, tensor or Tensor())

    def eager_tensor(self, execution: int, site: int, tensor: Tensor | None = None) -> None:
        self._tensor(RecordKind.EAGER_TENSOR, execution, site, tensor or Tensor())

    def hole(self) -> None:
        """A slot that was reserved and never filled."""
        self.records.append(np.zeros((), dtype=TENSOR_RECORD))

    def finish(self, exit_code: int = 0) -> Path:
        """As a program that ends in order."""
        self.writer.fact({"framework": {"name": "tensorflow", "version": "2.21.0"}})
        self.writer.fact({"end": {"time_ns": CLOCK_OFFSET + self.clock, "exit_code": exit_code}})
        return self.kill()

    def kill(self) -> Path:
        """As a program that is killed: nothing says how it ended."""
        self.writer.close()
        write_segments(self.folder, self.all_records(), self.slots)
        if self.values:
            (self.folder / "values").mkdir()
            (self.folder / "values" / "000000.bin").write_bytes(self.values)
        return self.folder

    def all_records(self) -> np.ndarray[Any, Any]:
        return np.array([record.view(TENSOR_RECORD) for record in self.records], dtype=TENSOR_RECORD)

    def _new(self, layout: np.dtype[Any], kind: RecordKind, owner: int, thread: int) -> np.ndarray[Any, Any]:
        record = np.zeros((), dtype=layout)
        self.records.append(record)
        self.clock += 1000
        record["sequence"], record["time_ns"], record["kind"] = len(self.records), self.clock, kind
        record["owner"], record["thread"] = owner, thread
        return record

    def _tensor(self, kind: RecordKind, owner: int, site: int, tensor: Tensor) -> None:
        record = self._new(TENSOR_RECORD, kind, owner, tensor.thread)
        for name in ("slot", "path", "frame", "iteration", "device"):
            record[name] = getattr(tensor, name)
        record["site"], record["dtype"] = site, DTYPE_NUMBERS[tensor.dtype]
        record["rank"] = 255
        if tensor.shape is not None:
            record["rank"], record["size"] = len(tensor.shape), int(np.prod(tensor.shape))
            record["dims"][: len(tensor.shape)] = tensor.shape
        if tensor.elements is not None:
            self.values += b"\0" * (-len(self.values) % 64)
            record["value_position"] = len(self.values) + 1
            self.values += tensor.elements.tobytes()
        if tensor.health is not None:
            record["flags"] = RecordFlag.HEALTH
            for name in ("negative", "zero", "neg_inf", "pos_inf", "nan", "subnormal", "first_bad"):
                record[name] = getattr(tensor.health, name)
            for name in ("min", "max", "sum", "sum_squares"):
                record[name] = getattr(tensor.health, name)


def builder_metadata(segment_records: int, pid: int = GONE) -> TraceMetadata:
    here = describe_this_process("train", Detail.HEALTH, "test", segment_records)
    return replace(here, pid=pid, clock_offset_ns=CLOCK_OFFSET)


def write_segments(folder: Path, records: np.ndarray[Any, Any], slots: int) -> None:
    """Writes records, whose sequence numbers are as they should be, into segments; the last one is filled up."""
    (folder / "segments").mkdir(exist_ok=True)
    for index in range(max(1, -(-len(records) // slots))):
        segment = np.zeros(slots, dtype=TENSOR_RECORD)
        part = records[index * slots : (index + 1) * slots]
        segment[: len(part)] = part
        segment.tofile(folder / "segments" / f"{index:06d}.bin")
