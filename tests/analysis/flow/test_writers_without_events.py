"""Called functions without events take part if they write variables."""

from __future__ import annotations

from tests.analysis.builder import TraceBuilder, located


def test_only_those_that_write() -> None:
    trace = TraceBuilder()
    w = trace.variable("w")
    writer, idle, caller = trace.function("writer"), trace.function("idle"), trace.function("caller")
    writer.write(w, writer.argument("g"), op_type="AssignAddVariableOp")
    idle.returns(idle.argument("a"))
    caller.call(writer, caller.argument("g"))
    f = trace.function("f")
    x = f.argument("x")
    f.call(caller, x, name="outer_call")
    f.call(idle, x, name="idle_call")
    for value in (1.0, 2.0):
        trace.run(f).event(x, [value])
    values = located(trace)
    blocks = values.invocations.block.tolist()
    assert [blocks.count(graph.number) for graph in (f, caller, writer, idle)] == [2, 2, 2, 0]


def test_a_function_that_calls_itself() -> None:
    trace = TraceBuilder()
    w = trace.variable("w")
    f = trace.function("f")
    x = f.argument("x")
    f.write(w, x)
    f.call(f, x)
    trace.run(f).event(x, [1.0])
    assert len(located(trace).invocations) < 100


def test_a_branch_may_not_have_run() -> None:
    trace = TraceBuilder()
    w = trace.variable("w")
    then, other, f = trace.function("then"), trace.function("other"), trace.function("f")
    then.write(w, then.argument("g"))
    other.argument("g")
    x = f.argument("x")
    f.cond(then, other, x, x)
    trace.run(f).event(x, [1.0])
    assert located(trace).invocations.block.tolist() == [f.number]
