"""Loops: state goes from turn to turn, each turn of an outer loop has inner ones of its own."""

from __future__ import annotations

import pytest

from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf, nan


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


def test_the_last_turn_where_the_condition_records_nothing() -> None:
    trace, p = loop_trace()
    run = trace.run(p["outer"])
    for turn, value in enumerate([1.0, 2.0, inf]):
        run.event(p["product"], [value], path="while/body/_2", frame=7, iteration=turn)
    run.event(p["negative"], [-inf])
    (origin,) = why(trace).origins
    assert (origin.view.iteration, origin.propagated) == (2, 1)


def test_outer_turns_that_overlap() -> None:
    """Both outer turns begin before either inner loop does: the first inner run still belongs to the first turn."""
    trace = TraceBuilder()
    inner_cond, inner_body = trace.function("inner_cond"), trace.function("inner_body")
    inner_cond.returns(inner_cond.argument("a"))
    square = inner_body.op("Square", inner_body.argument("b"), name="while/while/Square")
    inner_body.returns(square)
    cond, body = trace.function("outer_cond"), trace.function("outer_body")
    cond.returns(cond.argument("c"))
    drawn = body.op("RandomNormal", body.argument("d"), name="while/Random")
    (result,) = body.loop(inner_cond, inner_body, drawn, name="while/while")
    body.returns(result)
    outer = trace.function("outer")
    (final,) = outer.loop(cond, body, outer.argument("x"))
    outer.returns(final)
    run = trace.run(outer)
    for turn, value in enumerate([nan, 1.0]):
        run.event(drawn, [value], path="while/body/_2", frame=5, iteration=turn)
    for turn, value in enumerate([nan, inf]):
        run.event(square, [value], path="while/body/_2/while/while/body/_8", frame=100 + turn, iteration=0)
    overflow, random = why(trace).origins  # what the first turn made, nothing used
    assert (random.view.tensor, random.propagated) == ("while/Random:0", 1)
    assert (overflow.view.tensor, overflow.view.event) == ("while/while/Square:0", 3)
