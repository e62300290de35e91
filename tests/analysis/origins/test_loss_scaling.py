from __future__ import annotations

from collections.abc import Sequence

import pytest

from tensordbg.analysis.finding import Origin
from tensordbg.analysis.origins.loss_scaling import may_be_caught
from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf


def overflowing(course: Sequence[bool], op_type: str = "Mul", tested: bool = True, scale: str = "loss_scale") -> Origin:
    """The first origin of a function whose gradient overflows in some of its steps, tested or not."""
    trace = TraceBuilder()
    trace.variable(scale)
    f = trace.function("train_step")
    x = f.argument("x", dtype="float16")
    gradient = f.op(op_type, x, x, name="gradient_tape/Product", dtype="float16")
    finite = f.op("IsFinite" if tested else "Sign", gradient, dtype="bool" if tested else "float16")
    f.returns(finite)
    for bad in course:
        run = trace.run(f)
        run.event(x, [0.0, 300.0] if bad else [0.0, 1.0])
        run.event(gradient, [0.0, inf] if bad else [0.0, 1.0])
    return why(trace).origins[0]


def test_caught_and_over() -> None:
    origin = overflowing([True, True, False])
    assert (origin.cause, origin.occurrences) == ("half_precision_overflow", 2)
    assert origin.reaches == ("gradient",)
    assert origin.caught == "the loss scale caught it: the step was skipped"
    assert not origin.consequential


def test_without_a_scale() -> None:
    assert overflowing([True, False], scale="w").caught == "a test for finite numbers caught it: the step was skipped"


@pytest.mark.parametrize(
    ("course", "caught"),
    [
        ([True] * 3, False),
        ([True] * 20 + [False], True),
        ([False] * 20 + [True] * 5, True),
        ([False] * 20 + [True] * 6, False),
    ],
)
def test_must_come_to_an_end(course: list[bool], caught: bool) -> None:
    assert bool(overflowing(course).caught) is caught


def test_what_nothing_tests_is_not_caught() -> None:
    assert overflowing([True, False], tested=False).consequential


def test_causes_that_a_smaller_scale_mends() -> None:
    origin = overflowing([True, False], "Atan2")
    assert origin.cause == "unknown"
    assert origin.caught
    assert not may_be_caught("log_of_zero", "float16")
    assert not may_be_caught("unknown", "float32")
    assert may_be_caught("cast_overflow", "float16")
