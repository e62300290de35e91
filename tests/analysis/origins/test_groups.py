"""Each operation is named once, first those that matter."""

from __future__ import annotations

from tensordbg.analysis.why import why
from tensordbg.model import TensorRef
from tests.analysis.builder import Graph, TraceBuilder, inf, names, nan


def logarithm_kept_finite() -> tuple[TraceBuilder, Graph, TensorRef, TensorRef, TensorRef]:
    """A function that bounds the logarithm of its argument: the argument, the logarithm, what it returns."""
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    log = f.op("Log", x)
    kept = f.op("Maximum", log)
    f.returns(kept)
    return trace, f, x, log, kept


def test_the_same_in_every_step() -> None:
    trace, f, x, log, kept = logarithm_kept_finite()
    for _ in range(5):
        run = trace.run(f)
        run.event(x, [0.0])
        run.event(log, [-inf])
        run.event(kept, [0.0])
    (origin,) = why(trace).origins
    assert (origin.occurrences, origin.view.step, origin.consequential) == (5, 0, False)


def test_what_did_no_harm_is_told_with_what_did_at_the_same_operation() -> None:
    trace, f, x, log, kept = logarithm_kept_finite()
    for step in range(4):
        run = trace.run(f)
        run.event(x, [0.0])
        run.event(log, [-inf])
        run.event(kept, [nan if step == 3 else 0.0])
    (origin,) = why(trace).origins
    assert (origin.consequential, origin.view.step, origin.occurrences) == (True, 3, 4)


def test_what_matters_comes_first() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    first, second, third = f.op("Log", x), f.op("Sqrt", x), f.op("Reciprocal", x)
    kept = f.op("Maximum", first)
    f.returns(kept, second, third)
    run = trace.run(f)
    run.event(x, [0.0, -1.0])
    run.event(third, [inf, -1.0])
    run.event(first, [-inf, nan])
    run.event(kept, [0.0, 0.0])
    run.event(second, [0.0, nan])
    assert names(why(trace)) == ["Sqrt:0", "Reciprocal:0", "Log:0"]
