"""Findings that have the same thing to fix are one entry; what ruins a model comes first."""

from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.finding import EndedLoop, ForwardOperation
from tensordbg.analysis.origins.troubles import Trouble, join_grown, join_lines
from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf, nan


def test_functions_traced_again_are_one_entry() -> None:
    trace = TraceBuilder(["", "", "y = tf.math.log(x)"])
    for _ in range(3):
        f = trace.function("f")
        x = f.argument("x")
        log = f.op("Log", x, line=3)
        f.returns(log)
        run = trace.run(f)
        run.event(x, [0.0])
        run.event(log, [-inf])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.view.execution, origin.occurrences, origin.also) == ("Log:0", 1, 3, ())


def test_two_causes_in_one_line_are_two() -> None:
    trace = TraceBuilder(["", "", "y = tf.math.log(x)"])
    f = trace.function("f")
    x = f.argument("x")
    zero, negative = f.op("Log", x, line=3), f.op("Log", f.op("Neg", x, line=3), line=3)
    f.returns(zero, negative)
    run = trace.run(f)
    run.event(x, [0.0])
    run.event(zero, [-inf])
    run.event(negative, [nan])
    assert len(why(trace).origins) == 2


def test_what_ruins_a_variable_comes_first() -> None:
    trace = TraceBuilder()
    w = trace.variable("w")
    f = trace.function("metric")
    x = f.argument("x")
    share = f.op("RealDiv", x, x, line=3)
    f.returns(share)
    g = trace.function("train_step")
    y = g.argument("y")
    slope = g.op("Log", y, line=4)
    g.write(w, slope, op_type="AssignSubVariableOp")
    g.returns(slope)
    first = trace.run(f)
    first.event(x, [0.0, 0.0])
    first.event(share, [nan, nan])
    second = trace.run(g)
    second.event(y, [0.0, 1.0])
    second.event(slope, [-inf, 0.0])
    assert [origin.view.op_type for origin in why(trace).origins] == ["Log", "RealDiv"]


def test_runs_for_other_fetches_in_which_one_line_did_no_harm() -> None:
    """The run for the training alone needs the shape of the loss; the other gives the loss out."""
    trace = TraceBuilder(["", "", "loss = tf.reduce_sum(tf.math.log(q))"])
    for fetched in (False, True):
        f = trace.function("Session.run(loss)" if fetched else "Session.run(train)")
        x = f.argument("x")
        log = f.op("Log", x, line=3)
        shape = f.op("Shape", log, dtype="int32")
        f.returns(log if fetched else shape)
        for _ in range(2):
            run = trace.run(f)
            run.event(x, [-1.0])
            run.event(log, [nan])
    (origin,) = why(trace).origins
    assert (origin.consequential, origin.view.step, origin.reaches, origin.occurrences) == (True, 0, ("output",), 4)
    assert origin.propagated == 0


def test_what_all_of_them_decided_is_told() -> None:
    trace = TraceBuilder(["", "", "y = tf.math.log(x)", "if y > 0:", "tf.where(y < 1, a, b)"])
    for line, compares in ((4, "Greater"), (5, "Less"), (5, "Less")):
        f = trace.function("f")
        x, one, other = (f.argument(name) for name in ("x", "one", "other"))
        log = f.op("Log", x, line=3)
        said = f.op(compares, log, f.op("Const"), dtype="bool", line=line)
        chosen = f.op("SelectV2", said, one, other, line=line)
        f.returns(chosen)
        run = trace.run(f)
        run.event(x, -1.0)
        run.event(log, nan)
        run.event(said, 0.0, dtype="bool")
        run.event(chosen, 2.0)
    (origin,) = why(trace).origins
    assert origin.occurrences == 3
    assert [(each.tensor, each.source and each.source.line, each.step) for each in origin.decided] == [
        ("Greater:0", 4, 0),
        ("Less:0", 5, 1),
    ]


def test_all_loops_that_they_ended_are_told() -> None:
    trace = TraceBuilder(["", "", "y = tf.math.log(x)"])
    f = trace.function("f")
    x = f.argument("x")
    log = f.op("Log", x, line=3)
    f.returns(log)
    run = trace.run(f)
    run.event(x, -1.0)
    run.event(log, nan)
    (origin,) = why(trace).origins
    loops = [EndedLoop(f"Less_{number}:0", origin.source, 5 - number, None) for number in range(3)]
    members = [Trouble(replace(origin, ended=(loop,)), (number,)) for number, loop in enumerate([*loops, loops[0]])]
    (joined,) = join_lines(members)
    assert joined.origin.ended == tuple(reversed(loops))


def test_what_diverges_and_its_gradient_are_one_in_one_step() -> None:
    trace = TraceBuilder()
    trace.eager("Log", trace.output(trace.eager("Input", values=[0.0])), values=[-inf])
    (log,) = why(trace).origins

    def trouble(step: int, cause: str = "diverging_values", of: str = "") -> Trouble:
        verdict = replace(log.verdict, cause=cause)
        gradient_of = ForwardOperation(of, None, is_origin=False) if of else None
        return Trouble(replace(log, verdict=verdict, view=replace(log.view, step=step), gradient_of=gradient_of), (0,))

    assert len(join_grown([trouble(5), trouble(5, of="MatMul:0")])) == 1
    assert len(join_grown([trouble(5), trouble(5)])) == 2
    assert len(join_grown([trouble(5), trouble(6, of="MatMul:0")])) == 2
    assert len(join_grown([trouble(5, "exp_overflow"), trouble(5, of="MatMul:0")])) == 2
    jumped = replace(trouble(5, "arithmetic_overflow"), grown=frozenset({("ResourceApplyAdam", 3), ("variable", 1)}))
    made = replace(jumped, grown=frozenset({("Mul", 3)}))
    assert len(join_grown([jumped, trouble(5, of="MatMul:0")])) == 1
    assert len(join_grown([made, trouble(5, of="MatMul:0")])) == 2
