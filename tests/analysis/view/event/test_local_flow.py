from __future__ import annotations

import numpy as np
import pytest

from tensordbg.analysis.view.event import local_flow
from tensordbg.analysis.view.event.local_flow import local_flow_key, take_local_flow
from tests.analysis.builder import TraceBuilder, located
from tests.analysis.view.built import opened_builder
from tests.analysis.view.loop_trace import loop_trace


def test_execution_and_what_made_its_inputs() -> None:
    trace = loop_trace()
    found = take_local_flow(trace.opened, trace.of(1, "exp1"))
    whole = range(trace.of(1, "given"), trace.of(1, "doubled") + 1)
    assert found.events.tolist() == list(whole)
    assert found.number(found.local(trace.of(1, "exp1"))) == trace.of(1, "exp1")
    assert found.number(-1) is None


def test_values_lie_as_in_the_whole_trace() -> None:
    trace = loop_trace()
    whole = located(trace.opened.reader)  # type: ignore[arg-type]
    part = take_local_flow(trace.opened, trace.of(1, "doubled"))
    for local, event in enumerate(part.events.tolist()):
        here, there = part.values, whole
        assert here.port[local] == there.port[event]
        own, same = int(here.invocation[local]), int(there.invocation[event])
        assert here.invocations.iteration[own] == there.invocations.iteration[same]
        assert here.invocations.frame[own] == there.invocations.frame[same]


def test_of_very_long_executions_only_the_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_flow, "_MOST_EVENTS", 8)
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.op("Exp")
    run = trace.run(f)
    for turn in range(50):
        run.event(x, [1.0], iteration=turn)
    opened = opened_builder(trace)
    found = take_local_flow(opened, 25)
    assert found.events.tolist() == list(range(17, 33))
    assert local_flow_key(opened, 25) != local_flow_key(opened, 40)


def test_events_of_no_execution() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    exp = f.op("Exp", x)
    for _ in range(2):
        trace.event(-1, -1, x, [1.0])
        trace.event(-1, -1, exp, [2.0])
    found = take_local_flow(opened_builder(trace), 1)
    assert found.events.tolist() == [0, 1, 2, 3]
    assert np.all(found.values.events.execution == -1)
