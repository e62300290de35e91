"""An overflow in float16 by which a row was divided did harm, though all that is left of it is 0."""

from __future__ import annotations

import pytest

from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf


@pytest.mark.parametrize(
    ("dtype", "numbers", "reaches"),
    [
        ("float16", [3e4, 4e4], ("zeros",)),
        ("float16", [0.0, 4e4], ("zeros",)),
        ("float32", [3e38, 3e38], ()),  # of numbers so large nobody takes shares: they diverge
    ],
)
def test_rows_divided_by_their_sum(dtype: str, numbers: list[float], reaches: tuple[str, ...]) -> None:
    trace = TraceBuilder(["", "y = x / tf.reduce_sum(x)"])
    f = trace.function("shares")
    x = f.argument("x", dtype)
    total = f.op("Sum", x, dtype=dtype)
    share = f.op("RealDiv", x, total, dtype=dtype, line=2)
    f.returns(share)
    run = trace.run(f)
    run.event(x, [numbers])
    run.event(total, [inf])
    run.event(share, [[0.0, 0.0]])
    (origin,) = why(trace).origins
    assert origin.reaches == reaches
    told = "Divided by it, 2 of the 2 elements of RealDiv:0 (train.py:2) became 0."
    assert (told in origin.explanation) == bool(reaches)


def test_a_sigmoid_that_is_written_out_is_right() -> None:
    trace = TraceBuilder()
    f = trace.function("sigmoid")
    x = f.argument("x", "float16")
    power = f.op("Exp", x, dtype="float16")
    result = f.op("Reciprocal", power, dtype="float16")
    f.returns(result)
    run = trace.run(f)
    run.event(x, [12.0, 1.0])
    run.event(power, [inf, 2.7])
    run.event(result, [0.0, 0.37])
    (origin,) = why(trace).origins
    assert (origin.cause, origin.consequential) == ("half_precision_overflow", False)


@pytest.mark.parametrize(("number", "reaches"), [(500.0, ("zeros",)), (65000.0, ())])
def test_rows_divided_by_the_root_of_their_mean_square(number: float, reaches: tuple[str, ...]) -> None:
    """The inverse of the root of a square that is beyond float16 mostly is a float16, that of the square is none."""
    trace = TraceBuilder()
    f = trace.function("norm")
    x = f.argument("x", "float16")
    square = f.op("Square", x, dtype="float16")
    scale = f.op("Rsqrt", square, dtype="float16")
    f.returns(scale)
    run = trace.run(f)
    run.event(x, [number, 1.0])
    run.event(square, [inf, 1.0])
    run.event(scale, [0.0, 1.0])
    (origin,) = why(trace).origins
    assert (origin.cause, origin.reaches) == ("half_precision_overflow", reaches)
