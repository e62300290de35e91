"""Events and executions as columns."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.events import read_bad, read_events, read_executions, row_of
from tensordbg.model import NONE
from tests.analysis.builder import TraceBuilder, inf, nan


def test_row_of() -> None:
    assert row_of(np.array([3, 4, 5]), np.array([5, 3, 6, -1])).tolist() == [2, 0, NONE, NONE]
    assert row_of(np.array([3, 7, 9]), np.array([9, 4, 10])).tolist() == [2, NONE, NONE]
    assert row_of(np.array([], dtype=np.int64), np.array([1])).tolist() == [NONE]


def test_executions() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    f.returns(f.argument("x"))
    forward = trace.forward(f)
    first = trace.run(forward, -1)
    trace.eager("Neg", trace.output(first, 0), 99 << 16)
    executions = read_executions(trace, read_program(trace))
    assert executions.graph.tolist() == [f.number, NONE]
    assert executions.function.tolist() == [forward.number, NONE]
    assert executions.input_starts.tolist() == [0, 1, 3]
    assert executions.input_row.tolist() == [NONE, 0, NONE]


def test_events() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    run = trace.run(f)
    run.event(x, [1.0])
    run.event(x, [inf], path="while/body/_1", frame=3, iteration=2)
    trace.event(NONE, NONE, x, [nan])
    bad, not_a_number = read_bad(trace)
    events = read_events(trace, read_executions(trace, read_program(trace)), bad, not_a_number)
    assert events.bad.tolist() == [False, True, True]
    assert events.nan.tolist() == [False, False, True]
    assert events.execution.tolist() == [0, 0, NONE]
    assert events.iteration.tolist() == [NONE, 2, NONE]
    assert len(events) == 3
