"""The data flow decides what was made from what: edges, calls without events, other executions; not time."""

from __future__ import annotations

from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf, names, nan


def test_through_a_call_without_any_events() -> None:
    trace = TraceBuilder()
    inner = trace.function("inner")
    a, b = inner.argument("a"), inner.argument("b")
    inner.returns(b, a)
    outer = trace.function("outer")
    x = outer.argument("x")
    log, exp = outer.op("Log", x), outer.op("Exp", x)
    first, second = outer.call(inner, log, exp)
    negative_first, negative_second = outer.op("Neg", first), outer.op("Neg", second)
    run = trace.run(outer)
    run.event(log, [-inf])
    run.event(exp, [1.0])
    run.event(negative_first, [inf])  # was given exp: an origin of its own
    run.event(negative_second, [inf])  # was given log
    result = why(trace)
    assert sorted(names(result)) == ["Log:0", "Neg:0"]


def test_lists_of_tensors_carry_what_was_put_in() -> None:
    """A list (a variant) has no event; what is taken out of it came from what was put in."""
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    log = f.op("Log", x)
    empty = f.op("EmptyTensorList", dtype="variant")
    pushed = f.op("TensorListPushBack", empty, log, dtype="variant")
    popped = f.op("TensorListPopBack", pushed, dtypes=["variant", "float32"])
    stacked = f.op("Neg", type(popped)(popped.site, 1))
    run = trace.run(f)
    run.event(x, [0.0])
    run.event(log, [-inf])
    run.event(type(popped)(popped.site, 1), [-inf])
    run.event(stacked, [inf])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.propagated) == ("Log:0", 2)


def test_a_shape_carries_nothing() -> None:
    """What depends on a shape alone is not made from the bad values, even where the shape was not recorded."""
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    log = f.op("Log", x)
    shape = f.op("Shape", log, dtype="int32")
    random = f.op("RandomThing", shape)
    run = trace.run(f)
    run.event(log, [-inf])
    run.event(random, [nan])
    assert sorted(names(why(trace))) == ["Log:0", "RandomThing:0"]


def test_zeros_like_something_bad_are_sound() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    log = f.op("Log", f.argument("x"))
    zeros = f.op("ZerosLike", log)
    other = f.op("Thing", zeros)
    run = trace.run(f)
    run.event(log, [-inf])
    run.event(other, [nan])
    assert names(why(trace)) == ["Log:0", "Thing:0"]


def test_whole_numbers_carry_nothing() -> None:
    trace = TraceBuilder()
    log = trace.eager("Log", values=[-inf])
    index = trace.eager("Cast", trace.output(log), dtype="int32")  # not recorded
    trace.eager("Thing", trace.output(index), values=[nan])
    assert names(why(trace)) == ["Log:0", "Thing:0"]


def test_time_misleads_where_branches_run_in_parallel() -> None:
    """The consumer's probe ran before its producer's, and an unrelated bad value came in between."""
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    log, root = f.op("Log", x), f.op("Sqrt", x)
    first, second = f.op("Neg", log), f.op("Neg", root)
    f.returns(first, second)
    run = trace.run(f)
    run.event(second, [nan])
    run.event(first, [inf])
    run.event(root, [nan])
    run.event(log, [-inf])
    run.event(x, [-1.0, 0.0])
    result = why(trace)
    assert names(result) == ["Log:0", "Sqrt:0"]
    assert [origin.propagated for origin in result.origins] == [1, 1]


def test_from_execution_to_execution() -> None:
    """A function's result goes into an eager operation, and that one's into another function."""
    trace = TraceBuilder()
    f, g = trace.function("f"), trace.function("g")
    x = f.argument("x")
    log = f.op("Log", x)
    f.returns(x, log)
    y = g.argument("y")
    total = g.op("Sum", y)
    g.returns(total)
    first = trace.run(f)
    first.event(x, [0.0])
    first.event(log, [-inf])
    between = trace.eager("Neg", trace.output(first, 1), values=[inf])
    second = trace.run(g, trace.output(between))
    second.event(y, [inf])
    second.event(total, inf)
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.propagated, origin.reaches) == ("Log:0", 3, ("output",))


def test_the_other_result_is_innocent() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    log = f.op("Log", x)
    f.returns(x, log)
    first = trace.run(f)
    first.event(x, [0.0])
    first.event(log, [-inf])
    trace.eager("Reciprocal", trace.output(first, 0), values=[inf])
    assert names(why(trace)) == ["Log:0", "Reciprocal:0"]


def test_tape_outside_of_the_function() -> None:
    """The forward pass shares the plain function's sites; the backward pass takes what it returned."""
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    root = f.op("Sqrt", x)
    f.returns(root)
    forward = trace.forward(f, root, x)
    backward = trace.function("f", "__backward_f_9")
    d, saved = backward.argument("d"), backward.argument("saved")
    gradient = backward.op("SqrtGrad", saved, d, gradient_of=root.site, name="gradients/Sqrt_grad/SqrtGrad")
    backward.returns(gradient)
    first = trace.run(forward)
    first.event(x, [-1.0])
    first.event(root, [nan])
    ones = trace.eager("OnesLike", values=[1.0])
    second = trace.run(backward, trace.output(ones), trace.output(first, 1))
    second.event(d, [1.0])
    second.event(saved, [nan])
    second.event(gradient, [nan])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.view.function, origin.propagated) == ("Sqrt:0", "f", 2)
    assert "gradient" in origin.reaches
