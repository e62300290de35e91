from __future__ import annotations

from tensordbg.analysis.graphs.functions import list_functions
from tensordbg.report.graphs.functions import functions_text
from tests.analysis.alerts.traces import tensor, traced, value
from tests.analysis.builder import TraceBuilder
from tests.report.rendering import rendered


def test_functions_and_their_traces() -> None:
    trace = TraceBuilder()
    for n in range(14):
        graph = traced(trace, {"x": tensor(), "n": value(n)})
        for _ in range(2):
            trace.run(graph)
    traced(trace, {}, line=5)
    lines = rendered(functions_text(list_functions(trace)))
    assert lines[0] == "train_step  train.py:2  traced 14 times, called 28 times from Python"
    assert lines[1].split() == ["step", "calls", "arguments", "traced", "from"]
    assert lines[3].split() == ["2", "2", "x:", "float32[2],", "n:", "1", "train.py:9"]
    assert lines[14] == "  and 2 more; --json tells all"
    assert lines[16] == "train_step  train.py:5  traced once, called 0 times from Python"
