"""What is computed of comparisons with NaN comes of the NaN; what the program put in its place does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tensordbg.analysis.why import why
from tensordbg.model import TensorRef
from tests.analysis.builder import Graph, TraceBuilder, names, nan

Part = Callable[[Graph, TensorRef], TensorRef]


def found(part: Part, check: str = "RealDiv") -> list[str]:
    """The origins of a function in which a NaN is made, and another one of what a part of it makes of the first."""
    trace = TraceBuilder()
    f = trace.function("f")
    bad = f.op("Log", f.argument("x"))
    of_it = part(f, bad)
    result = f.op(check, f.op("Const"), of_it) if check == "RealDiv" else f.op(check, of_it)
    f.returns(bad, result)
    run = trace.run(f)
    run.event(bad, [nan, 1.0])
    run.event(of_it, [0.0])
    run.event(result, [nan])
    return names(why(trace))


def compared(f: Graph, bad: TensorRef) -> TensorRef:
    return f.op("Cast", f.op("Equal", bad, f.op("Const"), dtype="bool"))


def counted(f: Graph, bad: TensorRef) -> TensorRef:
    return f.op("Sum", f.op("Identity", compared(f, bad)), f.op("Const", dtype="int32"))


def position(f: Graph, bad: TensorRef) -> TensorRef:
    return f.op("Cast", f.op("ArgMax", bad, f.op("Const", dtype="int32"), dtype="int64"))


def looked_up(f: Graph, bad: TensorRef) -> TensorRef:
    return f.op("GatherV2", f.argument("table"), f.op("ArgMax", bad, dtype="int64"), f.op("Const", dtype="int32"))


def chosen(f: Graph, bad: TensorRef) -> TensorRef:
    return f.op("SelectV2", f.op("Greater", bad, f.op("Const"), dtype="bool"), f.argument("a"), f.argument("b"))


@pytest.mark.parametrize("part", [compared, counted, position, looked_up, chosen])
def test_made_of_nan_alone(part: Part) -> None:
    assert found(part) == found(part, "Reciprocal") == ["Log:0"]


def replaced(f: Graph, bad: TensorRef) -> TensorRef:
    return f.op("SelectV2", f.op("IsFinite", bad, dtype="bool"), bad, f.op("Const"))


def replaced_by_comparison(f: Graph, bad: TensorRef) -> TensorRef:
    return f.op("SelectV2", f.op("Greater", bad, f.op("Const"), dtype="bool"), bad, f.op("Const"))


def asked_for(f: Graph, bad: TensorRef) -> TensorRef:
    return f.op("Cast", f.op("IsNan", bad, dtype="bool"))


def compared_with_itself(f: Graph, bad: TensorRef) -> TensorRef:
    return f.op("Cast", f.op("NotEqual", bad, bad, dtype="bool"))


def with_data(f: Graph, bad: TensorRef) -> TensorRef:
    return f.op("Mul", compared(f, bad), f.argument("data"))


def something_else(f: Graph, bad: TensorRef) -> TensorRef:
    compared(f, bad)
    return f.argument("data")


@pytest.mark.parametrize(
    "part", [replaced, replaced_by_comparison, asked_for, compared_with_itself, with_data, something_else]
)
def test_made_of_something_else(part: Part) -> None:
    assert found(part) == ["Log:0", "RealDiv:0"]


def test_of_a_quotient_the_divisor_counts() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    bad = f.op("Log", f.argument("x"))
    result = f.op("RealDiv", compared(f, bad), f.argument("data"))
    f.returns(bad, result)
    run = trace.run(f)
    run.event(bad, [nan, 1.0])
    run.event(result, [nan])
    assert names(why(trace)) == ["Log:0", "RealDiv:0"]


def test_every_step_is_of_the_first() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    bad = f.op("Log", f.argument("x"))
    result = f.op("Reciprocal", counted(f, bad))
    f.returns(bad, result)
    for _ in range(5):
        run = trace.run(f)
        run.event(bad, [nan])
        run.event(result, [nan])
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.occurrences, origin.reaches) == ("Log:0", 5, ("output",))
