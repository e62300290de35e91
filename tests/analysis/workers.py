"""Traces of workers that reduce their gradients together, as `MultiWorkerMirroredStrategy` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.analysis.builder import Graph, TraceBuilder, nan

CONST = '{"value": %d}'


@dataclass(frozen=True)
class Step:
    """What one step of a worker computes."""

    data: Any
    gradient: Any
    total: Any
    """What comes out of the reduction."""
    instance: int
    """By which the workers find each other."""


GOOD = ([1.0, 2.0], [0.5, 0.5], [1.0, 1.0])
"""Data, gradient and total of a step that is well."""
SENT = ([0.0, 2.0], [nan, 0.5], [nan, 1.0])
"""The same of a worker whose gradient is bad."""
RECEIVED = ([1.0, 2.0], [0.5, 0.5], [nan, 1.0])
"""The same of a worker that has it from another."""


def steps(*kinds: tuple[Any, Any, Any], first: int = 100) -> list[Step]:
    """Steps with the numbers of runs that follow each other."""
    return [Step(*kind, instance=first + k) for k, kind in enumerate(kinds)]


def worker(took: Sequence[Step], group: int = 1, size: int = 2) -> TraceBuilder:
    """The trace of one worker: the logarithm of its data, its gradient, and the sum of that over all workers."""
    trace = TraceBuilder()
    f = trace.function("train_step")
    data, instance = f.argument("data"), f.argument("instance", "int32")
    gradient = f.op("Reciprocal", data, name="gradient_tape/Reciprocal", gradient_of=data.site)
    total = reduction(f, gradient, instance, group, size)
    f.returns(total)
    for number, step in enumerate(took):
        run = trace.run(f)
        run.event(data, step.data)
        run.event(instance, step.instance)
        run.event(gradient, step.gradient)
        run.event(total, step.total)
        for event in trace.events[-4:]:  # each step has its second
            event["time_ns"] = number * 10**9 + event["event"]
    return trace


def reduction(f: Graph, gradient: Any, instance: Any, group: int, size: int) -> Any:
    """The sum over all workers."""
    named = (("group_size", size), ("group_key", group))
    constants = [f.op("Const", name=name, dtype="int32", attributes=CONST % number) for name, number in named]
    return f.op("CollectiveReduceV2", gradient, *constants, instance)


def delayed(trace: TraceBuilder, nanoseconds: int) -> TraceBuilder:
    """The same, as it would be on a machine whose clock is ahead."""
    for event in trace.events:
        event["time_ns"] += nanoseconds
    return trace
