"""Finds the execution that caused each traced tensor: the log links them by nothing but the time.

The traces of a function are written while it runs, its execution when it has ended. So a trace belongs to the next
execution of a graph around it. Where an operation of the outermost graph is traced again before that, executions lie
between whose record is lost (it was pushed out of the circular buffer), and where none follows the program was killed
before it was written: such executions are filled in.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from tensordbg.importers.tfdbg2.graphs import Graph, Graphs
from tensordbg.importers.tfdbg2.tensors import described
from tensordbg.trace.events import TensorEvent

_FUNCTION = re.compile(r"(?:__inference_|__forward_)?(__backward_.+|.+?)_\d+")


@dataclass(frozen=True)
class Trace:
    """One tensor that was computed in a graph."""

    time: float
    graph: str
    operation: str
    slot: int
    device: str
    tensor: TensorEvent


@dataclass(frozen=True)
class Record:
    """The record of one execution in the log."""

    op_type: str
    inputs: tuple[int, ...] = ()
    """Identifiers of tensors."""
    outputs: tuple[int, ...] = ()
    tensors: tuple[TensorEvent, ...] = ()
    """Of each output."""
    devices: tuple[int, ...] = ()
    stack: tuple[str, ...] = ()


@dataclass
class Execution:
    """One execution, and the tensors that it computed in its graph."""

    record: Record
    graph: Graph | None
    """Of a function, where it is known."""
    time: float
    """When it ended; infinite where it did not."""
    traces: list[Trace] = field(default_factory=list)

    @property
    def begin(self) -> float:
        """When it began, as far as is known."""
        return min([self.time, *(trace.time for trace in self.traces)])


@dataclass(frozen=True)
class History:
    """All executions in their order, and the traces that belong to none."""

    executions: list[Execution]
    orphans: list[Trace]


def collect_history(executions: Iterable[Any], traces: Iterable[Any], graphs: Graphs) -> History:
    """Puts the events of a log's `.execution` and `.graph_execution_traces` files together."""
    found = [
        Execution(_record(event.execution), _graph_of(event.execution, graphs), event.wall_time)
        for event in executions
        if event.HasField("execution")
    ]
    owners = _Owners(found, graphs)
    orphans: list[Trace] = []
    for event in traces:
        if event.HasField("graph_execution_trace"):
            trace = _trace(event.wall_time, event.graph_execution_trace)
            owner = owners.of(trace)
            (orphans if owner is None else owner.traces).append(trace)
    return History([part for each in [*found, *owners.unfinished] for part in _split(each)], orphans)


def _trace(time: float, traced: Any) -> Trace:
    return Trace(
        time=time,
        graph=traced.tfdbg_context_id,
        operation=traced.op_name,
        slot=traced.output_slot,
        device=traced.device_name,
        tensor=described(traced.tensor_debug_mode, traced.tensor_proto),
    )


def _record(executed: Any) -> Record:
    outputs = tuple(executed.output_tensor_ids)
    tensors = tuple(described(executed.tensor_debug_mode, tensor) for tensor in executed.tensor_protos)
    # Of an operation with several outputs those that were filtered out are missing, nobody knows which.
    known = tensors if len(tensors) == len(outputs) else (TensorEvent(),) * len(outputs)
    return Record(
        op_type=executed.op_type,
        inputs=tuple(executed.input_tensor_ids),
        outputs=outputs,
        tensors=known,
        devices=tuple(executed.output_tensor_device_ids),
        stack=tuple(executed.code_location.stack_frame_ids),
    )


def _graph_of(executed: Any, graphs: Graphs) -> Graph | None:
    """The graph that an execution ran; of forward and backward passes only the name tells."""
    if executed.graph_id in graphs.all:
        return graphs.all[executed.graph_id]
    match = _FUNCTION.fullmatch(executed.op_type)
    return graphs.latest(match[1]) if match and is_function(executed.op_type) else None


def is_function(op_type: str) -> bool:
    """Whether an execution is the call of a function."""
    return op_type.startswith(("__inference_", "__forward_", "__backward_"))


class _Owners:
    """Finds the execution of each trace."""

    def __init__(self, executions: list[Execution], graphs: Graphs) -> None:
        self._graphs = graphs
        self._of_graph: dict[str, list[Execution]] = {}
        for execution in executions:
            if execution.graph is not None:
                self._of_graph.setdefault(execution.graph.identifier, []).append(execution)
        self._times = {graph: [each.time for each in found] for graph, found in self._of_graph.items()}
        self._unfinished: dict[str, Execution] = {}

    @property
    def unfinished(self) -> list[Execution]:
        """The executions that were filled in because none follows."""
        return sorted(self._unfinished.values(), key=lambda each: each.begin)

    def of(self, trace: Trace) -> Execution | None:
        """The execution that a trace belongs to; None where a function ran without being called from Python."""
        around = list(self._graphs.around(trace.graph))
        following = [found for graph in around if (found := self._next(graph, trace.time)) is not None]
        if following:
            return min(following, key=lambda each: each.time)
        return self._fill_in(around)

    def _next(self, graph: str, time: float) -> Execution | None:
        times = self._times.get(graph, ())
        position = bisect_left(times, time)
        return self._of_graph[graph][position] if position < len(times) else None

    def _fill_in(self, around: list[str]) -> Execution | None:
        """An execution of the outermost function; a function of an input pipeline runs without one."""
        functions = [self._graphs.all[graph] for graph in around if self._graphs.all[graph].name]
        if not functions or functions[-1].name.startswith("Dataset_"):
            return None
        outermost = functions[-1]
        if outermost.identifier not in self._unfinished:
            self._unfinished[outermost.identifier] = Execution(Record(outermost.name), outermost, math.inf)
        return self._unfinished[outermost.identifier]


def _split(execution: Execution) -> Iterator[Execution]:
    """An execution, behind those whose record is lost: each computes a tensor of its outermost graph only once."""
    groups: list[list[Trace]] = [[]]
    seen: set[tuple[str, int, str]] = set()
    for trace in execution.traces:
        if execution.graph is not None and trace.graph == execution.graph.identifier:
            key = (trace.operation, trace.slot, trace.device)
            if key in seen:
                groups.append([])
                seen.clear()
            seen.add(key)
        groups[-1].append(trace)
    for group in groups[:-1]:
        yield Execution(replace(execution.record, inputs=(), outputs=()), execution.graph, group[-1].time, group)
    yield replace(execution, traces=groups[-1])
