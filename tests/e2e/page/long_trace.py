"""A trace of ten million events: a short one, sealed, whose parts are written again and again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tensordbg.trace.schema import EXECUTIONS, TENSORS
from tensordbg.trace.sealed.manifest import read_manifest, write_manifest
from tensordbg.trace.sealed.parts import open_part, write_part
from tensordbg.trace.sealed.seal import seal_all
from tests.sample_trace import health_of
from tests.trace.builder import Tensor, TraceBuilder, small_program

EVENTS = 10_000_000
STEPS = 6_250
"""Of the short trace; each has four events."""
TURNS_OF_A_PART = 40


def write_long_trace(folder: Path) -> None:
    """Writes the trace into a folder of traces."""
    trace = folder / "long"
    build = TraceBuilder(trace, segment_records=4096)
    build.describe(small_program())
    for step in range(STEPS):
        call = build.begin(site=5, function=0, step=step)
        build.graph_tensor(step + 70, 0, Tensor(health=health_of(0.0, step + 1.0)))
        build.graph_tensor(step + 70, 1, Tensor(health=health_of(-1.0, 0.5, neg_inf=int(step == STEPS - 1))))
        build.graph_tensor(step + 70, 4, Tensor(health=health_of(-1.0, 10.0 * step), path=1, shape=(6,)))
        build.end(call)
        add = build.begin(site=6, step=step)
        build.eager_tensor(add, 6, Tensor(health=health_of(-1.0, 2.0), dtype="float64"))
        build.end(add)
    build.finish()
    seal_all(trace)
    repeat(trace, EVENTS)


def repeat(trace: Path, events: int) -> None:
    """Makes a sealed trace so long, as if its program had gone on in the same way."""
    manifest = read_manifest(trace)
    tensors = pa.concat_tables([open_part(trace, part).parquet.read() for part in manifest.tensors])
    executions = pa.concat_tables([open_part(trace, part).parquet.read() for part in manifest.executions])
    turns, rest = divmod(events, len(tensors))
    assert rest == 0, f"{events} events are not a multiple of {len(tensors)}"
    period = _span(executions["begin_ns"]) + 1_000_000
    per_turn = {
        "event": len(tensors),
        "time_ns": period,
        "begin_ns": period,
        "end_ns": period,
        "execution": len(executions),
        "step": _span(executions["step"]) + 1,
    }

    def copies(table: pa.Table, first: int, count: int) -> Iterator[pa.Table]:
        return (_moved(table, per_turn, turn) for turn in range(first, min(first + count, turns)))

    for part in (*manifest.tensors, *manifest.executions):
        (trace / part.file).unlink()
    parts = [
        write_part(trace, f"tensors-{first:06d}.parquet", copies(tensors, first, TURNS_OF_A_PART), TENSORS)
        for first in range(0, turns, TURNS_OF_A_PART)
    ]
    calls = write_part(trace, "executions-all.parquet", copies(executions, 0, turns), EXECUTIONS)
    write_manifest(trace, replace(manifest, tensors=tuple(parts), executions=(calls,)))


def _span(column: Any) -> int:
    return int(pc.max(column).as_py()) - int(pc.min(column).as_py())


def _moved(table: pa.Table, per_turn: dict[str, int], turn: int) -> pa.Table:
    for name in sorted(per_turn.keys() & set(table.column_names)):
        at = table.column_names.index(name)
        table = table.set_column(at, table.schema.field(name), pc.add(table[name], turn * per_turn[name]))
    return table
