"""Origins are found by data flow: within a graph, through calls, branches, loops, variables and executions."""

from __future__ import annotations

import pytest

from tensordbg.analysis.finding import WhyResult
from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf, nan


def names(result: WhyResult) -> list[str]:
    return [origin.view.tensor for origin in result.origins]


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


def loop_trace() -> tuple[TraceBuilder, dict[str, object]]:
    trace = TraceBuilder()
    cond = trace.function("while_cond")
    i = cond.argument("i", "int32")
    cond.argument("state")
    cond.argument("scale")
    less = cond.op("Less", i, dtype="bool")
    cond.returns(less)
    body = trace.function("while_body")
    j, state, scale = body.argument("j", "int32"), body.argument("state"), body.argument("scale")
    following = body.op("AddV2", j, dtype="int32", name="while/add")
    product = body.op("Mul", state, scale, name="while/Mul")
    body.returns(following, product, scale)
    outer = trace.function("outer")
    x, y = outer.argument("x"), outer.argument("y")
    zero = outer.op("Const", dtype="int32")
    start = outer.op("Exp", x)
    results = outer.loop(cond, body, zero, start, y)
    negative = outer.op("Neg", results[1])
    outer.returns(negative)
    parts = {
        "less": less,
        "following": following,
        "product": product,
        "x": x,
        "y": y,
        "start": start,
        "negative": negative,
    }
    return trace, {"outer": outer, **parts}


@pytest.mark.parametrize("start_bad", [True, False])
@pytest.mark.parametrize("lowered", [True, False])
def test_loop_state(start_bad: bool, lowered: bool) -> None:
    trace, p = loop_trace()
    run = trace.run(p["outer"])
    run.event(p["y"], [1e30])
    run.event(p["start"], [inf if start_bad else 1e20])
    turns = [[inf]] * 3 if start_bad else [[1e33], [inf], [inf]]
    for turn, values in enumerate(turns):
        place = {"frame": 7, "iteration": turn}
        run.event(p["less"], True, **({"path": "while/cond/_1", **place} if lowered else {}))
        run.event(p["product"], values, **({"path": "while/body/_2", **place} if lowered else {}))
    run.event(p["less"], False, **({"path": "while/cond/_1", "frame": 7, "iteration": 3} if lowered else {}))
    run.event(p["negative"], [-inf])
    (origin,) = why(trace).origins
    if start_bad:
        assert (origin.view.tensor, origin.propagated) == ("Exp:0", 4)
    else:
        assert (origin.view.tensor, origin.propagated) == ("while/Mul:0", 2)
        assert origin.view.iteration == (1 if lowered else None)
        assert origin.view.function == "outer"


def test_a_loop_that_does_not_run_returns_what_it_was_given() -> None:
    trace, p = loop_trace()
    run = trace.run(p["outer"])
    run.event(p["start"], [inf])
    run.event(p["less"], False, path="while/cond/_1", frame=7, iteration=0)
    run.event(p["negative"], [-inf])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.propagated) == ("Exp:0", 1)


def test_a_captured_value_stays_the_same_in_all_turns() -> None:
    """`scale` is passed on unchanged from turn to turn."""
    trace, p = loop_trace()
    run = trace.run(p["outer"])
    run.event(p["y"], [nan])
    run.event(p["start"], [1.0])
    for turn in range(3):
        run.event(p["product"], [nan], path="while/body/_2", frame=7, iteration=turn)
    run.event(p["negative"], [nan])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.propagated, origin.verdict.cause) == ("y:0", 4, "bad_input_data")


def test_nested_loops() -> None:
    """Each turn of the outer loop runs the inner one in a frame of its own; the second inner run goes wrong."""
    trace = TraceBuilder()
    inner_cond, inner_body = trace.function("inner_cond"), trace.function("inner_body")
    a = inner_cond.argument("a")
    inner_less = inner_cond.op("Less", a, dtype="bool")
    inner_cond.returns(inner_less)
    b = inner_body.argument("b")
    square = inner_body.op("Square", b, name="while/while/Square")
    inner_body.returns(square)
    cond, body = trace.function("outer_cond"), trace.function("outer_body")
    c = cond.argument("c")
    less = cond.op("Less", c, dtype="bool")
    cond.returns(less)
    d = body.argument("d")
    scaled = body.op("Mul", d, d, name="while/Mul")
    (inner,) = body.loop(inner_cond, inner_body, scaled, name="while/while")
    root = body.op("Sqrt", inner, name="while/Sqrt")
    body.returns(root)
    outer = trace.function("outer")
    x = outer.argument("x")
    (result,) = outer.loop(cond, body, x)
    negative = outer.op("Neg", result)
    outer.returns(negative)
    run = trace.run(outer)
    run.event(x, [1e5])
    values = {
        (0, "scaled"): [1e10], (0, 0): [1e20], (0, 1): [1e30], (0, "root"): [1e15],
        (1, "scaled"): [1e30], (1, 0): [inf], (1, 1): [inf], (1, "root"): [inf],
        (2, "scaled"): [inf], (2, 0): [inf], (2, 1): [inf], (2, "root"): [inf],
    }  # fmt: skip
    for turn in range(3):
        place = {"path": "while/body/_2", "frame": 5, "iteration": turn}
        run.event(less, True, path="while/cond/_1", frame=5, iteration=turn)
        run.event(scaled, values[turn, "scaled"], **place)
        for inner_turn in range(2):
            deep = {"frame": 100 + turn, "iteration": inner_turn}
            run.event(inner_less, True, path="while/body/_2/while/while/cond/_7", **deep)
            run.event(square, values[turn, inner_turn], path="while/body/_2/while/while/body/_8", **deep)
        run.event(inner_less, False, path="while/body/_2/while/while/cond/_7", frame=100 + turn, iteration=2)
        run.event(root, values[turn, "root"], **place)
    run.event(less, False, path="while/cond/_1", frame=5, iteration=3)
    run.event(negative, [-inf])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.view.iteration, origin.propagated) == ("while/while/Square:0", 0, 7)
    assert origin.verdict.cause in ("arithmetic_overflow", "diverging_values")
    assert origin.inputs[0].recorded is not None
    assert origin.inputs[0].recorded.health is not None and origin.inputs[0].recorded.health.max == 1e30


def test_a_function_called_in_a_loop() -> None:
    trace = TraceBuilder()
    inner = trace.function("inner")
    a = inner.argument("a")
    log = inner.op("Log", a)
    inner.returns(log)
    cond, body = trace.function("while_cond"), trace.function("while_body")
    c = cond.argument("c")
    less = cond.op("Less", c, dtype="bool")
    cond.returns(less)
    b = body.argument("b")
    lower = body.op("Sub", b, b, name="while/Sub")
    (result,) = body.call(inner, lower, name="while/PartitionedCall")
    body.returns(result)
    outer = trace.function("outer")
    x = outer.argument("x")
    (final,) = outer.loop(cond, body, x)
    outer.returns(outer.op("Neg", final))
    run = trace.run(outer)
    run.event(x, [3.0])
    for turn, (low, out) in enumerate([(2.0, 0.7), (0.0, -inf), (-inf, nan)]):
        place = {"frame": 4, "iteration": turn}
        run.event(lower, [low], path="while/body/_2", **place)
        run.event(log, [out], path="while/body/_2/while/PartitionedCall", **place)
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.view.iteration, origin.propagated) == ("Log:0", 1, 2)


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


def test_unrecorded_input_pipeline() -> None:
    """Events of no execution: their function's argument is where the walk ends."""
    trace = TraceBuilder()
    f = trace.function("parse")
    x = f.argument("x")
    log = f.op("Log", x)
    double = f.op("Mul", log, log)
    trace.event(NONE_EXECUTION, NONE_EXECUTION, log, [1.0])
    trace.event(NONE_EXECUTION, NONE_EXECUTION, double, [1.0])
    trace.event(NONE_EXECUTION, NONE_EXECUTION, log, [-inf])
    trace.event(NONE_EXECUTION, NONE_EXECUTION, double, [inf])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.propagated) == ("Log:0", 1)


NONE_EXECUTION = -1
