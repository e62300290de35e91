"""Divisors that shrank, at the operation that overflowed or before it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tensordbg.analysis.finding import Origin
from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf

STEPS = 6


def quotient(dividend: Callable[[int], float], divisor: Callable[[int], float]) -> Origin:
    """`(x / t) * (x / t)` over some steps, of which the last overflows."""
    trace = TraceBuilder(["", "q = x / t", "y = q * q"])
    t = trace.variable("t", "[]", trainable=True)
    f = trace.function("step")
    x, read = f.argument("x"), f.read(t, "t")
    share = f.op("RealDiv", x, read, line=2)
    square = f.op("Mul", share, share, line=3)
    f.returns(square)
    for step in range(STEPS):
        run = trace.run(f)
        value = dividend(step) / divisor(step)
        run.event(x, [dividend(step)])
        run.event(read, divisor(step))
        run.event(share, [value])
        run.event(square, [value**2 if value < 1e19 else inf])
    (origin,) = why(trace).origins
    return origin


def test_a_divisor_before_what_overflowed() -> None:
    origin = quotient(lambda _: 2.0, lambda step: 10.0 ** (-4 * step))
    assert origin.cause == "shrinking_divisor"
    assert "The divisor t shrank step by step: 1, 0.0001, 1e-8, 1e-12, 1e-16, 1e-20 (line 2 of" in origin.explanation


@pytest.mark.parametrize(
    ("dividend", "divisor"),
    [
        (lambda step: 1e4**step, lambda _: 1.0),  # what is divided grew
        (lambda step: 1e4**step, lambda step: 1.0 / (1 + step)),  # the divisor shrank by less
        (lambda step: 1.0, lambda step: (1.0, 1e-4, 1e-8, 1e-12, 1e-9, 1e-20)[step]),  # it had grown in between
    ],
)
def test_other_quotients_are_not_told_of_the_divisor(
    dividend: Callable[[int], float], divisor: Callable[[int], float]
) -> None:
    assert quotient(dividend, divisor).cause != "shrinking_divisor"
