"""Events as the training of a network makes them, for measuring: sizes, statistics and threads as they occur."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tensordbg.health.spec import DTYPE_NUMBERS
from tensordbg.model import NONE, CallKind, Function, Site
from tensordbg.trace.raw.record import EXECUTION_RECORD, MAX_DIMS, TENSOR_RECORD, RecordFlag, RecordKind
from tests.trace.builder import NO_FUNCTION, ProgramParts, TraceBuilder, write_segments

SITES = 400
STEP_RECORDS = SITES + 2
SHAPES = ((32, 128, 512), (32, 8, 128, 128), (512, 2048), (4096, 512), (512,), (2048,), (), (32, 128), (32, 10))


def realistic_program() -> ProgramParts:
    """Function 0 has `SITES` sites; the last site is its call."""
    sites = [Site(number, f"layer_{number // 20}/op_{number}", "MatMul", 0, 0) for number in range(SITES)]
    call = Site(SITES, "train_step", "PartitionedCall", NONE, 0, call=CallKind.CALL, called=("train_step_0",))
    return ProgramParts((*sites, call), (Function(0, "train_step", "train_step_0", 0),))


def realistic_trace(folder: Path, steps: int, segment_records: int = 65536) -> Path:
    """A trace of so many steps of one function, each with `SITES` tensors computed by several threads."""
    build = TraceBuilder(folder, segment_records)
    build.describe(realistic_program())
    build.finish()
    write_segments(folder, realistic_records(steps), segment_records)
    return folder


def realistic_records(steps: int) -> np.ndarray[Any, Any]:
    """The records of those steps, in order."""
    random = np.random.default_rng(1)
    records = np.zeros((steps, STEP_RECORDS), dtype=TENSOR_RECORD)
    tensors = records[:, 1:-1]
    _place(tensors, random)
    _measure(tensors, random)
    calls = records.view(EXECUTION_RECORD)
    for column, kind in ((0, RecordKind.EXECUTION_BEGIN), (-1, RecordKind.EXECUTION_END)):
        call = calls[:, column]
        call["kind"], call["owner"], call["site"] = kind, np.arange(steps) + 1, SITES
        call["iteration"], call["function"], call["flags"] = np.arange(steps), 0, RecordFlag.FUNCTION
        call["rank"], call["inputs"] = 3, NONE
    flat = records.reshape(-1)
    flat["sequence"] = np.arange(len(flat)) + 1
    flat["time_ns"] = np.cumsum(random.exponential(60_000, len(flat)).astype(np.int64))
    return flat


def _place(tensors: np.ndarray[Any, Any], random: np.random.Generator) -> None:
    """Which tensors these are: threads take them in nearly, but not quite, the same order in each step."""
    steps = len(tensors)
    order = np.argsort(np.arange(SITES) + random.normal(0, 1.5, (steps, SITES)), axis=1)
    tensors["site"] = order
    tensors["owner"] = random.integers(1, 2**62, steps)[:, None]
    tensors["thread"] = 4000 + random.integers(0, 8, (steps, SITES))
    tensors["kind"], tensors["device"] = RecordKind.GRAPH_TENSOR, 1
    tensors["dtype"], tensors["function"] = DTYPE_NUMBERS["float32"], NO_FUNCTION
    for number, shape in enumerate(SHAPES):
        of_shape = order % len(SHAPES) == number
        dims = np.zeros(MAX_DIMS, dtype=np.uint32)
        dims[: len(shape)] = shape
        tensors["dims"][of_shape] = dims
        tensors["rank"][of_shape] = len(shape)
        tensors["size"][of_shape] = int(np.prod(shape))


def _measure(tensors: np.ndarray[Any, Any], random: np.random.Generator) -> None:
    """Normally distributed elements; every third tensor went through a ReLU."""
    size = tensors["size"]
    negative = random.binomial(size, 0.4 + 0.2 * random.random(size.shape))
    relu = tensors["site"] % 3 == 0
    tensors["negative"], tensors["zero"] = np.where(relu, 0, negative), np.where(relu, negative, 0)
    tensors["first_bad"], tensors["flags"] = NONE, RecordFlag.HEALTH
    spread = np.exp(random.normal(0, 1, size.shape))
    reach = np.sqrt(2 * np.log(size + 1)) * spread
    lowest = -reach * random.normal(1, 0.05, size.shape)
    tensors["min"] = np.where(relu, 0, lowest).astype(np.float32)
    tensors["max"] = (reach * random.normal(1, 0.05, size.shape)).astype(np.float32)
    tensors["sum"] = random.normal(0, 1, size.shape) * np.sqrt(size) * spread
    tensors["sum_squares"] = size * spread**2 * random.normal(1, 0.01, size.shape)
