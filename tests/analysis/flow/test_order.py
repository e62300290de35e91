"""The order of the program: as traced, call within call, turn after turn."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.flow.order import in_program_order
from tests.analysis.builder import TraceBuilder, located


def test_calls_and_turns() -> None:
    trace = TraceBuilder()
    cond, body, f = trace.function("cond"), trace.function("body"), trace.function("f")
    less = cond.op("Less", cond.argument("a"), dtype="bool")
    cond.returns(less)
    first = body.op("Mul", body.argument("a"), name="while/Mul")
    second = body.op("Sub", first, name="while/Sub")
    body.returns(second)
    x = f.argument("x")
    before = f.op("Neg", x)
    (result,) = f.loop(cond, body, before)
    after = f.op("Abs", result)
    runs = [trace.run(f), trace.run(f)]
    wanted: list[int] = []
    for run in runs:
        events = [run.event(before, [1.0])]
        for turn in range(2):
            events.append(run.event(less, True, path="while/cond/_1", frame=3, iteration=turn))
            events.append(run.event(first, [1.0], path="while/body/_2", frame=3, iteration=turn))
            events.append(run.event(second, [1.0], path="while/body/_2", frame=3, iteration=turn))
        events.append(run.event(after, [1.0]))
        wanted += events
    values = located(trace)
    shuffled = np.random.default_rng(0).permutation(len(wanted))
    order = in_program_order(values, values.invocation[shuffled], values.events.site[shuffled])
    assert shuffled[order].tolist() == wanted
    # The results of a call come after everything in it.
    invocation = np.array([values.invocation[wanted[2]], 0])
    assert in_program_order(values, invocation, np.array([first.site, result.site])).tolist() == [0, 1]


def test_nothing_to_sort() -> None:
    trace = TraceBuilder()
    none = np.empty(0, dtype=np.int64)
    assert in_program_order(located(trace), none, none).tolist() == []
