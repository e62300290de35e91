"""The graph of what is not finite: events, and values without events between them."""

from __future__ import annotations

import pytest

from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.flow.graph import GraphBuilder
from tensordbg.analysis.flow.variables import Variables
from tensordbg.model import NONE
from tests.analysis.builder import TraceBuilder, inf, located


@pytest.mark.parametrize("piece", [1, 1 << 19])
def test_only_bad_events_and_what_lies_between(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensordbg.analysis.flow.graph._PIECE", piece)
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    log = f.op("Log", x)
    same = f.op("Identity", log)
    other = f.op("Exp", x)
    total = f.op("AddV2", same, other)
    run = trace.run(f)
    run.event(x, [0.0])
    run.event(log, [-inf])
    run.event(other, [1.0])
    run.event(total, [-inf])
    values = located(trace)
    graph = GraphBuilder(values, Variables(values), Flow(values, values.ports.carrying)).finish()
    assert graph.event.tolist() == [1, 3, NONE]
    assert set(zip(graph.child.tolist(), graph.parent.tolist(), strict=True)) == {(1, 2), (2, 0)}
    assert graph.rank[0] < graph.rank[2] < graph.rank[1]
