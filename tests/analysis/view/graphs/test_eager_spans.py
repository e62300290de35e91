from __future__ import annotations

from tensordbg.analysis.view.graphs.eager_spans import Span, eager_spans
from tests.analysis.builder import TraceBuilder
from tests.analysis.view.built import opened_builder


def spans_of(trace: TraceBuilder) -> tuple[Span, ...]:
    return eager_spans(opened_builder(trace).executions)


def eager_site(trace: TraceBuilder, op_type: str) -> int:
    return trace.site(-1, op_type, op_type)


def test_steps_that_the_trace_tells_in_order_are_taken() -> None:
    trace = TraceBuilder()
    log = eager_site(trace, "Log")
    for _ in range(3):
        trace.eager("Log", site=log)
    assert spans_of(trace) == (Span(0, 0, 1), Span(1, 1, 2), Span(2, 2, 3))


def test_a_place_that_runs_twice_in_a_step_divides_none() -> None:
    trace = TraceBuilder()
    trace.eager("Fill")
    first, twice, last = (eager_site(trace, name) for name in ("Sin", "Mul", "Log"))
    for _ in range(3):
        for site in (first, twice, twice, last):
            trace.eager("", site=site)
    assert spans_of(trace) == (Span(None, 0, 1), Span(0, 1, 5), Span(1, 5, 9), Span(2, 9, 13))


def test_what_runs_once_is_one_step() -> None:
    trace = TraceBuilder()
    trace.eager("Sin")
    trace.eager("Log")
    assert spans_of(trace) == (Span(0, 0, 2),)
    assert spans_of(TraceBuilder()) == ()
