"""Differences that were computed as their squares."""

from __future__ import annotations

import pytest

from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf


@pytest.mark.parametrize(
    ("square", "exponent", "known"),
    [("Square", 0.0, True), ("Pow", 2.0, True), ("Pow", 3.0, False), ("Mul", 0.0, True)],
)
def test_the_square_of_a_difference(square: str, exponent: float, known: bool) -> None:
    trace = TraceBuilder()
    f = trace.function("Session.run(loss)")
    x, y = f.argument("x"), f.argument("y")
    difference = f.op("Sub", x, y, name="difference")
    power = f.op("Const", attributes=f'{{"value": {exponent}}}', name="power")
    others = {"Square": (), "Pow": (power,), "Mul": (difference,)}[square]
    squared = f.op(square, difference, *others, name="squared")
    loss = f.op("Mean", squared, name="loss")
    f.returns(loss)
    run = trace.run(f)
    run.event(x, [1e30, 0.0])
    run.event(y, [1.0, 0.0])
    run.event(difference, [inf, 0.0])
    run.event(loss, inf)
    (first,) = why(trace).origins
    assert (first.view.tensor, first.verdict.cause) == ("difference:0", "arithmetic_overflow" if known else "unknown")


def test_a_difference_that_is_taken_elsewhere_too_is_what_it_is() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x, y = f.argument("x"), f.argument("y")
    difference = f.op("Sub", x, y, name="difference")
    squared, root = f.op("Square", difference, name="squared"), f.op("Sqrt", difference, name="root")
    f.returns(squared, root)
    run = trace.run(f)
    run.event(x, [1e30])
    run.event(y, [1.0])
    run.event(difference, [inf])
    assert why(trace).origins[0].verdict.cause == "unknown"
