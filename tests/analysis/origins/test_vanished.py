"""An overflow in float16 by which a row was divided did harm, though all that is left of it is 0."""

from __future__ import annotations

import pytest

from tensordbg.analysis.finding import Origin
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


def origin_of(power: tuple[str, list[float]], result: tuple[str, list[float]], given: list[float]) -> Origin:
    """The only origin of two operations in float16 one behind the other, each with what it gives."""
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x", "float16")
    first = f.op(power[0], x, dtype="float16")
    second = f.op(result[0], first, dtype="float16")
    f.returns(second)
    run = trace.run(f)
    for made, numbers in ((x, given), (first, power[1]), (second, result[1])):
        run.event(made, numbers)
    (origin,) = why(trace).origins
    return origin


def test_a_sigmoid_that_is_written_out_is_right() -> None:
    origin = origin_of(("Exp", [inf, 2.7]), ("Reciprocal", [0.0, 0.37]), [12.0, 1.0])
    assert (origin.cause, origin.consequential) == ("half_precision_overflow", False)


@pytest.mark.parametrize(("number", "reaches"), [(500.0, ("zeros",)), (65000.0, ())])
def test_rows_divided_by_the_root_of_their_mean_square(number: float, reaches: tuple[str, ...]) -> None:
    """The inverse of the root of a square that is beyond float16 mostly is a float16, that of the square is none."""
    origin = origin_of(("Square", [inf, 1.0]), ("Rsqrt", [0.0, 1.0]), [number, 1.0])
    assert (origin.cause, origin.reaches) == ("half_precision_overflow", reaches)
