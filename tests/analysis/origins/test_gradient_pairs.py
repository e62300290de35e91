"""An operation and its gradient at the same bad number are one trouble."""

from __future__ import annotations

from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf, nan


def training(forward_input_shared: bool) -> TraceBuilder:
    trace = TraceBuilder()
    w = trace.variable("w")
    f = trace.function("train_step")
    x, y = f.argument("x"), f.argument("y")
    log = f.op("Log", x)
    loss = f.op("Mean", log)
    slope = f.op("Reciprocal", x if forward_input_shared else y, name="gradient_tape/Reciprocal")
    f.write(w, slope, op_type="AssignSubVariableOp")
    f.returns(loss)
    run = trace.run(f)
    run.event(x, [0.0])
    run.event(y, [0.0])
    run.event(log, [-inf])
    run.event(loss, nan)
    run.event(slope, [inf])
    return trace


def test_the_forward_operation_answers_for_its_gradient() -> None:
    (log,) = why(training(True)).origins
    assert (log.view.tensor, log.gradient_of) == ("Log:0", None)
    assert log.reaches == ("loss", "gradient", "variable", "output")
    assert log.propagated == 2
    assert [(each.tensor, each.relation) for each in log.also] == [("gradient_tape/Reciprocal:0", "gradient")]


def test_not_for_another_input() -> None:
    log, slope = why(training(False)).origins
    assert log.reaches == ("loss", "output")
    assert slope.gradient_of is None
