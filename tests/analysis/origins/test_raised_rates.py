"""Raised rates before numbers that overflowed, of the optimizer that trains them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tensordbg.analysis.finding import Origin
from tensordbg.analysis.why import why
from tensordbg.trace.program.optimizers import OptimizerSettings
from tests.analysis.builder import TraceBuilder, inf

STEPS = 10


def diverging(*settings: OptimizerSettings, rates: list[float] | None = None) -> Origin:
    """Squares a weight that grows from the update in step 5 on, until it overflows in the last step."""
    trace = TraceBuilder()
    weight, rate = trace.variable("weight", "[1]", trainable=True), trace.variable("rate", "[]", trainable=False)
    f = trace.function("step")
    read, held = f.read(weight, "weight"), f.read(rate, "rate")
    square = f.op("Square", read)
    f.write(weight, f.op("Mul", read, held), op_type="AssignSubVariableOp")
    f.returns(square)
    for step in range(STEPS):
        run = trace.run(f)
        value = 1e5 ** max(step - 5, 0) * 1.1
        run.event(read, [value])
        run.event(held, (rates or [0.1] * STEPS)[step])
        run.event(square, [value**2 if value < 1e19 else inf])
    trace.facts = replace(trace.facts, optimizers=settings)
    (origin,) = why(trace).origins
    return origin


def sgd(step: int, rate: float | None, variables: tuple[int, ...] = (0,), number: int = 0) -> OptimizerSettings:
    settings, held = ({"lr": rate}, {}) if rate is not None else ({}, {"learning_rate": 1})
    return OptimizerSettings(number, 0, "SGD", step, settings, variables, held)


def test_a_rate_that_was_set() -> None:
    origin = diverging(sgd(0, 0.01), sgd(5, 10.0))
    assert origin.cause == "diverging_values"
    assert "The learning rate went from 0.01 to 10 in step 5, and then the numbers began" in origin.explanation
    assert "keep the rate nearer to 0.01 than to 10" in origin.suggestion


def test_a_rate_that_a_variable_held() -> None:
    origin = diverging(sgd(0, None), rates=[0.1] * 4 + [50.0] * 6)
    assert "went from 0.1 to 50 in step 4" in origin.explanation


@pytest.mark.parametrize(
    "settings",
    [
        (sgd(0, 0.01), sgd(8, 10.0)),  # behind where they began to grow
        (sgd(0, 0.01), sgd(0, 0.01, (7,), 1), sgd(5, 10.0, (7,), 1)),  # of other variables
        (sgd(0, 0.01), sgd(5, 0.001)),
    ],
)
def test_rates_that_are_not_to_blame(settings: tuple[OptimizerSettings, ...]) -> None:
    origin = diverging(*settings)
    assert origin.cause == "diverging_values"
    assert "The learning rate went" not in origin.explanation
