"""Calls that the runtime did not inline, and functions of no execution."""

from __future__ import annotations

from tensordbg.analysis.why import why
from tensordbg.model import NONE
from tests.analysis.builder import TraceBuilder, inf, nan


def test_the_same_function_called_twice_without_inlining() -> None:
    """The second call is innocent of what the first one was given, and the other way round."""
    trace = TraceBuilder()
    inner = trace.function("inner")
    a = inner.argument("a")
    root = inner.op("Sqrt", a)
    inner.returns(root)
    outer = trace.function("outer")
    x, y = outer.argument("x"), outer.argument("y")
    (first,) = outer.call(inner, x)
    (second,) = outer.call(inner, y)
    total = outer.op("AddV2", first, second)
    outer.returns(total)
    run = trace.run(outer)
    run.event(x, [4.0])
    run.event(y, [-4.0])
    run.event(root, [2.0])
    run.event(root, [nan])
    run.event(total, [nan])
    (origin,) = why(trace).origins
    assert (origin.view.event, origin.verdict.cause, origin.propagated) == (3, "root_of_negative", 1)


def test_unrecorded_input_pipeline() -> None:
    """Events of no execution: their function's argument is where the walk ends."""
    trace = TraceBuilder()
    f = trace.function("parse")
    x = f.argument("x")
    log = f.op("Log", x)
    double = f.op("Mul", log, log)
    trace.event(NONE, NONE, log, [1.0])
    trace.event(NONE, NONE, double, [1.0])
    trace.event(NONE, NONE, log, [-inf])
    trace.event(NONE, NONE, double, [inf])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.propagated) == ("Log:0", 1)


def test_calls_without_inlining_from_the_turns_of_a_loop() -> None:
    """The k-th call is that of the k-th turn, even where all turns had begun before the first call ended."""
    trace = TraceBuilder()
    inner, cond, body = trace.function("inner"), trace.function("cond"), trace.function("body")
    root = inner.op("Sqrt", inner.argument("a"))
    inner.returns(root)
    cond.returns(cond.argument("c"))
    drawn = body.op("RandomNormal", body.argument("b"), name="while/Random")
    (result,) = body.call(inner, drawn, name="while/PartitionedCall")
    body.returns(result)
    outer = trace.function("outer")
    (final,) = outer.loop(cond, body, outer.argument("x"))
    outer.returns(final)
    run = trace.run(outer)
    for turn, value in enumerate([1.0, nan, 1.0]):
        run.event(drawn, [value], path="while/body/_2", frame=5, iteration=turn)
    for value in [1.0, nan, 1.0]:
        run.event(root, [value])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.propagated) == ("while/Random:0", 1)
