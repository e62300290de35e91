"""Calls and branches: an argument was an operation's input, a result is the function's."""

from __future__ import annotations

import pytest

from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf, names


@pytest.mark.parametrize("inlined", [True, False])
def test_through_a_call(inlined: bool) -> None:
    """An argument of an inner function has no event; its caller's input has."""
    trace = TraceBuilder()
    inner = trace.function("inner")
    a = inner.argument("a")
    double = inner.op("Mul", a, a)
    inner.returns(double)
    outer = trace.function("outer")
    x = outer.argument("x")
    log = outer.op("Log", x)
    (result,) = outer.call(inner, log)
    negative = outer.op("Neg", result)
    outer.returns(negative)
    path = "PartitionedCall" if inlined else ""
    run = trace.run(outer)
    run.event(x, [0.0])
    run.event(log, [-inf])
    run.event(double, [inf], path=path)
    run.event(negative, [-inf])
    (origin,) = why(trace).origins
    assert origin.view.tensor == "Log:0"
    assert origin.propagated == 2


@pytest.mark.parametrize("inlined", [True, False])
def test_an_origin_inside_a_called_function(inlined: bool) -> None:
    trace = TraceBuilder()
    inner = trace.function("inner")
    a = inner.argument("a")
    log = inner.op("Log", a)
    inner.returns(log)
    outer = trace.function("outer")
    x = outer.argument("x")
    scaled = outer.op("Mul", x, x)
    (result,) = outer.call(inner, scaled)
    negative = outer.op("Neg", result)
    outer.returns(negative)
    run = trace.run(outer)
    run.event(x, [0.0])
    run.event(scaled, [0.0])
    run.event(log, [-inf], path="PartitionedCall" if inlined else "")
    run.event(negative, [inf])
    (origin,) = why(trace).origins
    assert origin.view.tensor == "Log:0"
    assert origin.view.function == "inner"
    assert origin.propagated == 1
    # The argument is shown by its name inside, with the statistics of what the caller gave.
    assert origin.inputs[0].tensor == "a:0"
    assert origin.inputs[0].recorded is not None and origin.inputs[0].recorded.tensor == "Mul:0"


def test_nested_calls_of_which_one_has_no_events() -> None:
    trace = TraceBuilder()
    inner = trace.function("inner")
    a = inner.argument("a")
    double = inner.op("Mul", a, a)
    inner.returns(double)
    middle = trace.function("middle")
    b = middle.argument("b")
    middle.returns(*middle.call(inner, b))
    outer = trace.function("outer")
    x = outer.argument("x")
    log = outer.op("Log", x)
    (result,) = outer.call(middle, log)
    negative = outer.op("Neg", result)
    outer.returns(negative)
    run = trace.run(outer)
    run.event(log, [-inf])
    run.event(double, [inf], path="PartitionedCall/PartitionedCall")
    run.event(negative, [-inf])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.propagated) == ("Log:0", 2)


@pytest.mark.parametrize("taken", ["then", "else"])
def test_through_a_branch(taken: str) -> None:
    trace = TraceBuilder()
    then, other = trace.function("cond_true"), trace.function("cond_false")
    p, q = then.argument("p"), then.argument("q")
    log = then.op("Log", p)
    then.returns(log)
    r, s = other.argument("r"), other.argument("s")
    square = other.op("Square", s)
    other.returns(square)
    outer = trace.function("outer")
    flag, x, y = outer.argument("flag", "bool"), outer.argument("x"), outer.argument("y")
    recip = outer.op("Reciprocal", y)
    (result,) = outer.cond(then, other, flag, x, recip)
    negative = outer.op("Neg", result)
    outer.returns(negative)
    run = trace.run(outer)
    run.event(x, [0.0])
    run.event(recip, [inf])
    if taken == "then":
        run.event(log, [-inf], path="cond/then/_3")
    else:
        run.event(square, [inf], path="cond/else/_4")
    run.event(negative, [inf])
    result_names = names(why(trace))
    if taken == "then":
        assert result_names == ["Log:0", "Reciprocal:0"]  # the reciprocal went into the other branch: it died out
    else:
        assert result_names == ["Reciprocal:0"]
