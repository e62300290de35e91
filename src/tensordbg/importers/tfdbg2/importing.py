"""Makes a trace of each log in a folder."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from tensordbg.errors import RecordingError
from tensordbg.importers.new_trace import SEGMENT_RECORDS, new_trace
from tensordbg.importers.tfdbg2.describing import Describer
from tensordbg.importers.tfdbg2.executions import History, collect_history
from tensordbg.importers.tfdbg2.graphs import collect_graphs
from tensordbg.importers.tfdbg2.logs import Log, describing, find_logs
from tensordbg.importers.tfdbg2.program import Program
from tensordbg.importers.tfdbg2.stacks import FrameTable, Stacks, read_frames
from tensordbg.importers.tfdbg2.variables import Variables
from tensordbg.importers.tfdbg2.writing import HistoryWriter, nanoseconds
from tensordbg.model import Detail
from tensordbg.trace.events import EventWriter
from tensordbg.trace.program.metadata import TraceMetadata
from tensordbg.trace.writer import TraceWriter

_NOBODY = 0
"""In place of the number of a process, which the log does not tell."""


@dataclass(frozen=True)
class Imported:
    """One log that became a trace."""

    log: Log
    trace: Path
    executions: int
    tensors: int


def import_logs(folder: Path, out: Path) -> list[Imported]:
    """Makes a trace of each log in a folder and in those under it, the oldest first.

    Args:
        folder: Where the logs are.
        out: Where the traces are made.

    Raises:
        UsageError: If there is no log, or the traces can't be written.
        TraceError: If a log is damaged.
    """
    logs = sorted(find_logs(folder), key=lambda log: (log.seconds, str(log.folder), log.host))
    return [_import(log, describing(log, logs), out) for log in logs]


def _import(log: Log, description: Log, out: Path) -> Imported:
    frames = read_frames(description)
    graphs = collect_graphs(description.events("graphs"), frames.capturing)
    history = collect_history(log.events("execution"), log.events("graph_execution_traces"), graphs)
    with new_trace(out, f"{log.folder.name}-{log.host}") as trace:
        tensors = _write(trace, log, Program.of(graphs), history, frames)
    return Imported(log, trace, len(history.executions), tensors)


def _write(trace: Path, log: Log, program: Program, history: History, frames: FrameTable) -> int:
    """Writes all but the seal; returns how many tensors there are."""
    writer = TraceWriter.create(trace, _metadata(log))
    with EventWriter(trace, SEGMENT_RECORDS) as events:
        variables, stacks = Variables(program), Stacks(frames, writer)
        for execution in history.executions:
            variables.learn(execution)
        _describe(Describer(program, variables, stacks, _dtypes(history)), writer)
        HistoryWriter(program, variables, stacks, writer, events).write(history)
    writer.fact({"framework": {"name": "tensorflow", "version": log.version}})
    ends = [execution.time for execution in history.executions]
    if ends and math.isfinite(max(ends)):
        # Nothing tells how the program ended; that it was cut off would show.
        writer.fact({"end": {"time_ns": nanoseconds(max(ends))}})
    writer.close()
    if writer.failure:
        raise RecordingError(f"{writer.failure}; make room there, or choose another folder with --out")
    return events.tensors


def _describe(describer: Describer, writer: TraceWriter) -> None:
    writer.sites(describer.sites())
    for graph in describer.program.graphs.all.values():
        if graph.identifier in describer.program.functions:
            writer.function(describer.function(graph))
    for variable in describer.variables.rows:
        writer.variable(variable)


def _dtypes(history: History) -> dict[tuple[str, str, int], str]:
    """The types of the tensors in graphs, as far as their events tell."""
    traces = [trace for execution in history.executions for trace in execution.traces] + history.orphans
    return {
        (trace.graph, trace.operation, trace.slot): trace.tensor.dtype
        for trace in traces
        if trace.tensor.dtype != "unknown"
    }


def _metadata(log: Log) -> TraceMetadata:
    return TraceMetadata(
        id=f"{log.run}-{log.host}-{log.seconds}",
        program=log.folder.name,
        command=(),
        python="",
        host=log.host,
        pid=_NOBODY,
        created_ns=log.seconds * 10**9,
        clock_offset_ns=0,
        segment_records=SEGMENT_RECORDS,
        detail=Detail.HEALTH,
        kernel="",
    )
