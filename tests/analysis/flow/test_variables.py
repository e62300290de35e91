"""Variables: a bad read has its value from the write before it, in the same execution or an earlier one."""

from __future__ import annotations

import pytest

from tensordbg.analysis.why import why
from tensordbg.model import TensorRef
from tests.analysis.builder import Graph, TraceBuilder, inf, names, nan


def training(op_type: str = "AssignSubVariableOp") -> tuple[TraceBuilder, Graph, dict[str, TensorRef], int]:
    """A step that reads a variable, computes an update and writes it."""
    trace = TraceBuilder()
    w = trace.variable("w")
    f = trace.function("train_step")
    x = f.argument("x")
    read = f.read(w)
    product = f.op("Mul", x, read)
    update = f.op("Log", product)
    write = f.write(w, update, op_type=op_type)
    return trace, f, {"x": x, "read": read, "product": product, "update": update, "write": write}, w


def test_from_step_to_step() -> None:
    trace, f, p, _ = training()
    for step, (read, update) in enumerate([(1.0, 0.5), (2.0, -inf), (nan, nan), (nan, nan)]):
        run = trace.run(f)
        run.event(p["x"], [1.0])
        run.event(p["read"], [read])
        run.event(p["product"], [0.0 if step == 1 else read])
        run.event(p["update"], [update])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.view.step, origin.propagated) == ("Log:0", 1, 6)
    assert origin.reaches == ("variable",)


def test_a_write_that_no_later_step_reads_counts_too() -> None:
    trace, f, p, _ = training()
    run = trace.run(f)
    run.event(p["product"], [0.0])
    run.event(p["update"], [-inf])
    (origin,) = why(trace).origins
    assert origin.reaches == ("variable",)


def test_bad_before_any_step() -> None:
    trace, f, p, _ = training()
    for _step in range(2):
        run = trace.run(f)
        run.event(p["x"], [1.0])
        run.event(p["read"], [nan, 1.0])
        run.event(p["product"], [nan, 1.0])
        run.event(p["update"], [nan, 1.0])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.view.step, origin.verdict.cause) == ("ReadVariableOp:0", 0, "bad_variable")
    assert "The variable w held 1 NaN" in origin.verdict.explanation


def test_an_update_that_overflows_is_the_origin_itself() -> None:
    """What was written was finite, what is read next is not."""
    trace, f, p, _ = training()
    for read, update in [(1e38, 1.0), (2e38, 3e38), (inf, inf)]:
        run = trace.run(f)
        run.event(p["x"], [1.0])
        run.event(p["read"], [read])
        run.event(p["product"], [read])
        run.event(p["update"], [update])
    (origin,) = why(trace).origins
    assert origin.view.op_type == "AssignSubVariableOp"
    assert (origin.view.step, origin.verdict.cause, origin.propagated) == (1, "arithmetic_overflow", 2)
    assert [given.tensor for given in origin.inputs] == ["w (old)", "Log:0"]
    assert origin.inputs[0].recorded is not None
    assert origin.inputs[0].recorded.health is not None
    assert origin.inputs[0].recorded.health.max == 2e38
    assert origin.source is not None


def test_growth_makes_it_a_divergence() -> None:
    trace, f, p, _ = training()
    for read in [1.0, 1e10, 1e20, 1e30, inf]:
        run = trace.run(f)
        run.event(p["read"], [read])
        run.event(p["product"], [read])
        run.event(p["update"], [1.0])
    origins = why(trace).origins
    assert origins[0].verdict.cause == "diverging_values"
    assert "w (old) grew step by step: 1, 1e10, 1e20, 1e30" in origins[0].verdict.explanation


@pytest.mark.parametrize(("op_type", "expected"), [("AssignVariableOp", "Log:0"), ("AssignAddVariableOp", "Log:0")])
def test_the_last_bad_write_counts(op_type: str, expected: str) -> None:
    trace, f, p, _ = training(op_type)
    for read, product, update in [(1.0, 0.0, -inf), (-inf, -inf, 3.0)]:
        run = trace.run(f)
        run.event(p["read"], [read])
        run.event(p["product"], [product])
        run.event(p["update"], [update])
    assert names(why(trace)) == [expected]


def test_a_variable_that_was_set_anew_is_sound_again() -> None:
    """A plain assignment does not depend on the old value: what is bad afterwards began anew."""
    trace, f, p, _ = training("AssignVariableOp")
    for read, product, update in [(1.0, 0.0, -inf), (-inf, 1.0, 0.5), (0.5, 0.0, -inf)]:
        run = trace.run(f)
        run.event(p["read"], [read])
        run.event(p["product"], [product])
        run.event(p["update"], [update])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.occurrences) == ("Log:0", 2)


def test_an_increment_keeps_what_was_bad() -> None:
    """Two finite increments after a bad one; the program read the variable only at the end."""
    trace = TraceBuilder()
    w = trace.variable("w")
    f, g = trace.function("f"), trace.function("g")
    x = f.argument("x")
    log = f.op("Log", x)
    f.write(w, log, op_type="AssignAddVariableOp")
    read = g.read(w)
    for value in [-inf, 1.0, 1.0]:
        trace.run(f).event(log, [value])
    trace.run(g).event(read, [-inf])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.view.step, origin.propagated) == ("Log:0", 0, 1)


def test_a_finite_read_in_between_acquits_the_earlier_write() -> None:
    trace = TraceBuilder()
    w = trace.variable("w")
    f, g = trace.function("f"), trace.function("g")
    x = f.argument("x")
    log = f.op("Log", x)
    f.write(w, log, op_type="AssignVariableOp")
    read = g.read(w)
    trace.run(f).event(log, [-inf])
    trace.run(f).event(log, [1.0])
    trace.run(g).event(read, [1.0])
    trace.run(f).event(log, [2.0])
    trace.run(g).event(read, [nan])
    assert names(why(trace)) == ["Log:0", "AssignVariableOp:0"]


def test_write_before_read_in_the_same_execution() -> None:
    """The order is that of tracing, whatever the order of the events."""
    trace = TraceBuilder()
    w = trace.variable("w")
    f = trace.function("f")
    before = f.read(w)
    log = f.op("Log", before)
    f.write(w, log)
    after = f.read(w)
    run = trace.run(f)
    run.event(after, [-inf])
    run.event(log, [-inf])
    run.event(before, [0.0])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.propagated) == ("Log:0", 1)


def test_a_write_in_a_called_function_that_records_nothing() -> None:
    trace = TraceBuilder()
    w = trace.variable("w")
    apply = trace.function("apply")
    gradient = apply.argument("gradient")
    apply.write(w, gradient, op_type="ResourceApplyGradientDescent")
    f = trace.function("train_step")
    read = f.read(w)
    log = f.op("Log", read)
    f.call(apply, log)
    for value, out in [(1.0, 0.0), (0.0, -inf), (inf, inf)]:
        run = trace.run(f)
        run.event(read, [value])
        run.event(log, [out])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.view.step, origin.reaches) == ("Log:0", 1, ("variable",))


def test_eager_assignment_from_outside() -> None:
    trace = TraceBuilder()
    w = trace.variable("w")
    value = trace.eager("Input", values=[nan, 1.0])
    trace.eager("AssignVariableOp", -1, trace.output(value), writes=[w], dtypes=[])
    read = trace.eager("ReadVariableOp", -1, values=[nan, 1.0], reads=[w])
    trace.eager("Neg", trace.output(read), values=[nan, -1.0])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.verdict.cause, origin.propagated) == ("Input:0", "bad_variable", 2)
    assert "The variable w was given a value" in origin.verdict.explanation
    assert "variable" in origin.reaches


def test_a_read_whose_variable_is_not_known() -> None:
    trace = TraceBuilder()
    trace.eager("ReadVariableOp", -1, values=[nan])
    (origin,) = why(trace).origins
    assert origin.verdict.cause == "bad_variable"


def test_rows_that_were_looked_up_tell_nothing_of_the_others() -> None:
    """The table was set to a NaN; rows are looked up and updated that are finite: the update didn't make it."""
    trace = TraceBuilder()
    table = trace.variable("table")
    value = trace.eager("Input", values=[nan, 1.0])
    trace.eager("AssignVariableOp", -1, trace.output(value), writes=[table], dtypes=[])
    trace.eager("ResourceGather", -1, values=[1.0], reads=[table])
    change = trace.eager("Neg", values=[0.1])
    trace.eager("ResourceScatterSub", -1, trace.output(change), writes=[table], dtypes=[])
    trace.eager("ReadVariableOp", -1, values=[nan, 0.9], reads=[table])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.verdict.cause) == ("Input:0", "bad_variable")
