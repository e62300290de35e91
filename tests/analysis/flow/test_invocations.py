"""Invocations: each run of a graph, at one place and in one turn."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.flow.invocations import find_invocations
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.events import read_bad, read_events, read_executions
from tensordbg.analysis.program.places import Places
from tensordbg.analysis.program.ports import number_ports
from tests.analysis.builder import TraceBuilder


def test_one_for_each_execution_place_and_turn() -> None:
    trace = TraceBuilder()
    cond, body, f = trace.function("cond"), trace.function("body"), trace.function("f")
    cond.returns(cond.argument("a"))
    state = body.argument("a")
    double = body.op("Mul", state, name="while/Mul")
    body.returns(double)
    x = f.argument("x")
    f.loop(cond, body, x)
    for _ in range(2):
        run = trace.run(f)
        run.event(x, [1.0])
        for turn in range(3):
            run.event(double, [1.0], path="while/body/_2", frame=5, iteration=turn)
    trace.eager("Neg", values=[1.0])
    program = read_program(trace)
    executions = read_executions(trace, program)
    events = read_events(trace, executions, *read_bad(trace))
    places = Places(program)
    invocations, invocation = find_invocations(
        events, executions, number_ports(program, events.site, events.slot), places
    )
    assert len(invocations) == 3 + 2 * 3
    assert invocations.execution[:3].tolist() == [0, 1, 2]
    assert len(set(invocation.tolist())) == 2 + 6 + 1
    assert invocations.first[0] == 0
    assert invocations.last[0] == 0
    assert invocation[-1] == 2
    known = (invocations.place, invocations.frame, invocations.iteration)
    grown = invocations.with_rows(np.arange(len(invocations)), known, places)
    assert len(grown) == len(invocations)
