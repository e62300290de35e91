"""Errors whose negative is made smaller: seen by the numbers, not by what an operation is called."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensordbg.analysis.warnings.losses.rising_loss import negated_losses
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import studied, trained_by


def trained(factor: Any, error: str = "SquaredDifference", variables: int = 2, growth: float = 0.1) -> TraceBuilder:
    """`loss = factor * mean(error(x + w0 + w1, y))` over 30 steps, in which the error grows."""
    trace = TraceBuilder()
    held = [trace.variable(f"w{k}", "[8]", trainable=True) for k in range(variables)]
    f = trace.function("train_step")
    x, y = f.argument("x"), f.argument("y")
    total = x
    for k, each in enumerate(held):
        total = f.op("AddV2", total, f.read(each, f"w{k}"))
    wrong = f.op(error, total, y, name="wrong")
    loss = f.op("Neg", f.op("Mean", wrong, name="mean"), name="loss")
    back = trained_by(f, held, loss, wrong.site)
    for step in range(30):
        run = trace.run(f)
        for ref in (x, y, total, back):
            run.event(ref, np.linspace(-1.0, 1.0, 8))
        size = 1.0 + growth * step
        run.event(wrong, np.full(8, size))
        run.event(loss, np.array(-size * (factor(step) if callable(factor) else factor)))
    return trace


def test_the_error_is_told_that_grows() -> None:
    (finding,) = negated_losses(studied(trained(1.0)))
    assert finding.explanation == (
        "wrong:0 rises from the first step on, from 1 to 3.9 over 30 steps: the training makes loss:0 smaller, which "
        "is its negative."
    )
    assert len(negated_losses(studied(trained(0.5)))) == 1


@pytest.mark.parametrize(
    "trace",
    [
        trained(-1.0),  # the error itself
        trained(lambda step: 1.0 + 0.3 * (step % 3)),  # weighted by another number in each step
        trained(1.0, error="Mul"),  # no error, but a reward
        trained(1.0, variables=1),  # an example that is made to go wrong
        trained(1.0, growth=0.001),
    ],
)
def test_no_trouble(trace: TraceBuilder) -> None:
    assert negated_losses(studied(trace)) == []
