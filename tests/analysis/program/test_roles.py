"""Losses and gradients, told by the structure of the graph and by names that say so."""

from __future__ import annotations

from tensordbg.analysis.program.roles import Roles
from tensordbg.analysis.why import why
from tensordbg.model import TensorRef
from tests.analysis.builder import Graph, TraceBuilder, inf, located


def marked(trace: TraceBuilder, ref: TensorRef) -> tuple[bool, bool, bool]:
    """Whether an output is of a gradient operation, a gradient, and a loss if it is a scalar."""
    values = located(trace)
    roles, port = Roles(values), values.ports.of(ref)
    return bool(roles.gradient_site[ref.site]), bool(roles.gradient_ports()[port]), bool(roles.loss_ports()[port])


def step() -> tuple[TraceBuilder, Graph, TensorRef]:
    trace = TraceBuilder()
    trace.variable("weight")
    f = trace.function("train_step")
    return trace, f, f.argument("x")


def test_a_gradient_is_what_leaves_the_backward_pass() -> None:
    trace, f, x = step()
    inside = f.op("Mul", x, name="gradient_tape/dense/Mul")
    last = f.op("MatMul", inside, name="gradient_tape/dense/MatMul")
    update = f.op("Mul", last, name="sgd/Mul")
    assert marked(trace, inside) == (True, False, False)
    assert marked(trace, last) == (True, True, False)
    assert marked(trace, update)[:2] == (False, False)


def test_told_by_the_recorder_by_the_stack_and_by_the_function() -> None:
    trace, f, x = step()
    root = f.op("Sqrt", x)
    told = f.op("SqrtGrad", root, gradient_of=root.site)
    stacked = f.op("Mul", told, backprop="_gradient_function")
    called = f.op("Mul", stacked, backprop="record_gradient")
    backward = trace.function("f", "__inference___backward_f_12_34")
    plain = backward.op("Neg", backward.argument("d"))
    assert marked(trace, told)[0]
    assert marked(trace, stacked)[0]
    assert not marked(trace, called)[0]
    assert marked(trace, plain)[0]
    assert not marked(trace, root)[0]


def test_a_name_that_merely_holds_the_word() -> None:
    trace, f, x = step()
    assert not marked(trace, f.op("Norm", x, name="my_gradients_norm"))[0]


def test_the_loss_ends_the_forward_pass() -> None:
    trace, f, x = step()
    total = f.op("Sum", x)
    loss = f.op("Mean", total)
    f.op("Mul", loss, name="gradient_tape/Mul")
    f.returns(loss)
    assert not marked(trace, total)[2]
    assert marked(trace, loss)[2]


def test_a_metric_does_not_hide_the_loss() -> None:
    trace, f, x = step()
    loss = f.op("Mean", x)
    f.op("Mul", loss, name="gradient_tape/Mul")
    f.write(trace.variable("total"), loss, op_type="AssignAddVariableOp")
    assert marked(trace, loss)[2]


def test_a_scalar_made_from_gradients_is_no_loss() -> None:
    trace, f, x = step()
    gradient = f.op("Mul", x, name="gradient_tape/Mul")
    norm = f.op("L2Loss", gradient)
    assert not marked(trace, norm)[2]


def test_a_loop_that_keeps_what_its_gradient_needs() -> None:
    """The empty list that it starts from bears the name of the gradient."""
    trace, f, x = step()
    cond, body = trace.function("cond"), trace.function("body")
    cond.argument("a")
    body.returns(body.argument("a"), body.argument("kept", "variant"))
    empty = f.op("EmptyTensorList", name="gradient_tape/while/accumulator", dtype="variant")
    result, _kept = f.loop(cond, body, x, empty)
    assert marked(trace, f.op("Mean", result))[2]


def test_without_gradients_a_loss_must_be_called_one() -> None:
    trace, f, x = step()
    assert not marked(trace, f.op("Mean", x))[2]
    assert marked(trace, f.op("Mean", x, name="loss/Mean"))[2]
    assert marked(trace, f.op("Mean", x, within="unstable_loss"))[2]
    assert not marked(trace, f.op("Mean", x, name="glossy/Mean"))[2]


def test_in_a_called_function_as_well() -> None:
    trace = TraceBuilder()
    helper, loss = trace.function("helper"), trace.function("loss")
    inner, named = helper.op("Max", helper.argument("a")), loss.op("Max", loss.argument("a"))
    helper.returns(inner)
    loss.returns(named)
    f = trace.function("train_step")
    x = f.argument("x")
    f.call(helper, x)
    f.call(loss, x)
    f.op("Neg", x, name="gradient_tape/Neg")
    assert not marked(trace, inner)[2]
    assert marked(trace, named)[2]


def test_only_scalars() -> None:
    trace, f, x = step()
    log = f.op("Log", x)
    f.op("Neg", x, name="gradient_tape/Neg")
    run = trace.run(f)
    run.event(log, [-inf])
    (origin,) = why(trace).origins
    assert "loss" not in origin.reaches


def test_what_solves_an_equation_is_no_loss() -> None:
    trace = TraceBuilder()
    f = trace.function("newton")
    mean = f.op("Mean", f.argument("x"))
    f.op("Mul", mean, name="gradient_tape/Mul")
    f.returns(mean)
    assert not marked(trace, mean)[2]
    named = f.op("Mean", f.argument("y"), name="loss/Mean")
    assert marked(trace, named)[2]


def test_an_eager_loss() -> None:
    trace = TraceBuilder()
    trace.variable("weight")
    x = trace.eager("Input", values=[0.0])
    log = trace.eager("Log", trace.output(x), values=[-inf])
    trace.eager("Mean", trace.output(log), values=-inf)
    trace.eager("Mul", trace.output(x), values=[1.0], backprop="_gradient_function")
    (origin,) = why(trace).origins
    assert origin.reaches == ("loss", "output")
