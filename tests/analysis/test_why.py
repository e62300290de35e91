"""From a trace to the answer."""

from __future__ import annotations

from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf, nan
from tests.analysis.long_trace import long_trace


def test_all_finite() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    y = f.op("Log", x)
    run = trace.run(f)
    run.event(x, [1.0, 2.0])
    run.event(y, [0.0, 0.7])
    result = why(trace)
    assert (result.status, result.tensor_events, result.non_finite_events, result.origins) == ("finite", 2, 0, ())


def test_what_comes_after_is_propagated() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    log = f.op("Log", x)
    product = f.op("Mul", log, x)
    total = f.op("Sum", product)
    f.returns(total)
    run = trace.run(f)
    run.event(x, [0.0, 2.0])
    run.event(log, [-inf, 0.7])
    run.event(product, [nan, 1.4])
    run.event(total, nan)
    (origin,) = why(trace).origins
    assert origin.view.tensor == "Log:0"
    assert origin.propagated == 2
    assert [view.tensor for view in origin.spread] == ["Mul:0", "Sum:0"]
    assert origin.reaches == ("output",)


def test_nothing_recorded() -> None:
    result = why(TraceBuilder())
    assert (result.status, result.tensor_events, result.steps, result.origins) == ("finite", 0, 0, ())


def test_health_was_not_measured() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    trace.run(f).event(x, [1.0])
    assert why(trace).measured
    for name in ("negative", "zero", "positive", "neg_inf", "pos_inf", "nan", "subnormal", "first_bad", "min", "max"):
        trace.events[0][name] = None
    result = why(trace)
    assert (result.measured, result.status) == (False, "finite")


def test_a_million_tensors() -> None:
    """Ten thousand steps, of which the last third is bad throughout: every bad tensor is put down to one origin."""
    result = why(long_trace(10_000))
    assert result.tensor_events == 950_000
    (origin,) = result.origins
    assert origin.propagated == result.non_finite_events - 1 > 250_000
    assert origin.reaches == ("gradient", "variable", "output")
    assert origin.view.step == 7_000
