"""What matters and what does not: what an origin reaches."""

from __future__ import annotations

import pytest

from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf, nan


def test_the_logarithm_in_the_branch_that_where_drops() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x, flag = f.argument("x"), f.argument("flag", "bool")
    log = f.op("Log", x)
    chosen = f.op("SelectV2", flag, log, x)
    f.returns(chosen)
    run = trace.run(f)
    run.event(x, [0.0, 2.0])
    run.event(log, [-inf, 0.7])
    run.event(chosen, [0.0, 0.7])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.consequential, origin.reaches, origin.propagated) == ("Log:0", False, (), 0)


def test_but_its_gradient_matters() -> None:
    """The where trick of one `where`: the forward pass is sound, the backward pass is not."""
    trace = TraceBuilder()
    w = trace.variable("w")
    f = trace.function("train_step")
    x, flag = f.argument("x"), f.argument("flag", "bool")
    log = f.op("Log", x)
    loss = f.op("SelectV2", flag, log, x)
    seed = f.op("Const", name="gradient_tape/ones")
    slope = f.op("Reciprocal", x, name="gradient_tape/Reciprocal")
    gradient = f.op("Mul", seed, slope, name="gradient_tape/Mul")
    f.write(w, gradient, op_type="AssignSubVariableOp")
    f.returns(loss)
    run = trace.run(f)
    run.event(x, 0.0)
    run.event(log, -inf)
    run.event(loss, 0.0)
    run.event(seed, 0.0)
    run.event(slope, inf)
    run.event(gradient, nan)
    (first,) = why(trace).origins
    assert (first.view.tensor, first.verdict.cause) == ("gradient_tape/Reciprocal:0", "infinite_gradient")
    assert first.reaches == ("gradient", "variable")
    assert [(each.tensor, each.relation) for each in first.also] == [("Log:0", "forward")]


def test_a_gradient_that_dies_inside_the_backward_pass() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    slope = f.op("Reciprocal", x, name="gradient_tape/Reciprocal")
    gradient = f.op("MulNoNan", slope, x, name="gradient_tape/MulNoNan")
    f.returns(gradient)
    run = trace.run(f)
    run.event(x, [0.0])
    run.event(slope, [inf])
    run.event(gradient, [0.0])
    (origin,) = why(trace).origins
    assert origin.reaches == ()


def test_loss_gradient_and_variable() -> None:
    trace = TraceBuilder()
    w = trace.variable("w")
    f = trace.function("train_step")
    read = f.read(w)
    log = f.op("Log", read)
    loss = f.op("Mean", log)
    gradient = f.op("LogGrad", loss, name="gradient_tape/LogGrad")
    f.write(w, gradient, op_type="AssignSubVariableOp")
    run = trace.run(f)
    run.event(read, [0.0])
    run.event(log, [-inf])
    run.event(loss, -inf)
    run.event(gradient, [nan])
    (origin,) = why(trace).origins
    assert origin.reaches == ("loss", "gradient", "variable")


def test_a_write_that_put_out_finite_values_is_no_end() -> None:
    """The update of a reference variable is recorded, and was sound: the derivative of log(x) at -1 is a number."""
    trace = TraceBuilder()
    w = trace.variable("w")
    f = trace.function("Session.run(train)")
    read = f.read(w)
    log = f.op("Log", read)
    gradient = f.op("Reciprocal", read, name="gradients/Log_grad/Reciprocal")
    update = f.op("ApplyGradientDescent", gradient, name="update_w/ApplyGradientDescent", writes=(w,))
    run = trace.run(f)
    run.event(read, [-1.0])
    run.event(log, [nan])
    run.event(gradient, [-1.0])
    run.event(update, [-0.9])
    (origin,) = why(trace).origins
    assert origin.reaches == ()


@pytest.mark.parametrize("final", [True, False])
def test_returned_values(final: bool) -> None:
    """A result that another execution made something finite of died out; one that was left is the output."""
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    log = f.op("Log", x)
    f.returns(log)
    run = trace.run(f)
    run.event(x, [0.0])
    run.event(log, [-inf])
    if not final:
        trace.eager("Softmax", trace.output(run), values=[1.0])
    (origin,) = why(trace).origins
    assert origin.reaches == (("output",) if final else ())


def test_a_comparison_is_no_consumer() -> None:
    """A program that only looks whether its result is finite still has that result."""
    trace = TraceBuilder()
    log = trace.eager("Log", values=[-inf])
    trace.eager("IsFinite", trace.output(log), values=[False], dtype="bool")
    (origin,) = why(trace).origins
    assert origin.reaches == ("output",)


def test_what_a_forward_pass_returns_to_the_tape_is_no_output() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    log = f.op("Log", x)
    relu = f.op("Relu", log)
    f.returns(relu)
    forward = trace.forward(f, log)
    run = trace.run(forward)
    run.event(x, [0.0])
    run.event(log, [-inf])
    run.event(relu, [0.0])
    (origin,) = why(trace).origins
    assert origin.reaches == ()


def test_the_maximum_of_nothing() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    highest = f.op("Max", x)
    floored = f.op("Maximum", highest)
    f.returns(floored)
    run = trace.run(f)
    run.event(x, [])
    run.event(highest, -inf)
    run.event(floored, 0.0)
    (origin,) = why(trace).origins
    assert (origin.consequential, origin.verdict.cause) == (False, "reduction_of_nothing")


def test_a_value_that_nothing_takes_and_nothing_returns() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    log = f.op("Log", x)
    f.returns(x)
    run = trace.run(f)
    run.event(x, [0.0])
    run.event(log, [-inf])
    (origin,) = why(trace).origins
    assert origin.reaches == ()


@pytest.mark.parametrize(("failed", "reaches"), [(False, ("output",)), (True, ())])
def test_a_call_that_raised_returned_nothing(failed: bool, reaches: tuple[str, ...]) -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    log = f.op("Log", x)
    f.returns(log)
    run = trace.run(f)
    run.event(x, 0.0)
    run.event(log, -inf)
    trace.executions[-1]["failed"] = failed
    assert [origin.reaches for origin in why(trace).origins] == [reaches]
