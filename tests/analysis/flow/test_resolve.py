"""From a value to the events that tell of it."""

from __future__ import annotations

from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.flow.resolve import resolve
from tensordbg.model import TensorRef
from tests.analysis.builder import TraceBuilder, located


def test_through_identities_arguments_and_calls_but_no_further() -> None:
    trace = TraceBuilder()
    inner, f = trace.function("inner"), trace.function("f")
    a = inner.argument("a")
    inner.returns(a)
    x = f.argument("x")
    same = f.op("Identity", x, dtype="float32")
    (result,) = f.call(inner, same)
    reshaped = f.op("Reshape", result)
    unrecorded = f.op("Exp", reshaped)
    run = trace.run(f)
    event = run.event(x, [1.0])
    values = located(trace)
    flow = Flow(values, values.ports.inputs)

    def found(ref: TensorRef) -> list[int]:
        return resolve(flow, 0, values.ports.of(ref))

    assert found(x) == [event]
    assert found(reshaped) == [event]
    assert found(unrecorded) == []


def test_what_only_tells_how_an_input_is_passed_on_is_none_of_it() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x, chooses, shape = f.argument("x"), f.argument("chooses", "bool"), f.argument("shape", "int32")
    taken = f.op("Reshape", f.op("Switch", x, chooses), shape)
    run = trace.run(f)
    event = run.event(x, [1.0])
    run.event(chooses, [True])
    run.event(shape, [1])
    values = located(trace)
    assert resolve(Flow(values, values.ports.inputs), 0, values.ports.of(taken)) == [event]


def test_whole_numbers_too() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x", "int32")
    same = f.op("Identity", x, dtype="int32")
    event = trace.run(f).event(x, [1])
    values = located(trace)
    assert resolve(Flow(values, values.ports.inputs), 0, values.ports.of(same)) == [event]
