from __future__ import annotations

from tensordbg.analysis.alerts.table import find_alerts
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.events import read_executions
from tensordbg.trace.program.facts import TraceFacts
from tests.analysis.alerts.traces import traced, value
from tests.analysis.builder import FILE, TraceBuilder


def test_alerts_of_all_kinds_those_on_functions_first() -> None:
    trace = TraceBuilder()
    trace.facts = TraceFacts(devices=("/device:GPU:0",))
    trace.eager("MatMul", values=[1.0])
    for n in range(6):
        split = {"file": FILE, "line": 4, "function": "train_step", "user": True, "reason": "a graph break"}
        trace.run(traced(trace, {"n": value(n)}, splits=[split]))
    program = read_program(trace)
    found = find_alerts(trace, program, read_executions(trace, program))
    assert [alert.kind for alert in found] == ["retracing", "splitting", "placement"]
