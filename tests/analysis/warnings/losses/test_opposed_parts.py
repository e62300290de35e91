"""Parts of a loss whose sign is wrong, read off the way from them to the loss."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tensordbg.analysis.warnings.losses.rising_loss import negated_losses
from tensordbg.model import TensorRef
from tests.analysis.builder import Graph, TraceBuilder
from tests.analysis.warnings.network import studied, trained_by

Values = dict[TensorRef, list[float]]
Forward = Callable[[Graph, TensorRef, TensorRef, Values], TensorRef]
"""Makes the loss of what is trained and of labels, and says what some tensors hold in the last step."""


def told(forward: Forward, falls_to: float = -40.0) -> list[str]:
    """What is told of a loss that falls from a tenth of that over 30 steps, with all that it is made of."""
    trace = TraceBuilder()
    held = [trace.variable(f"w{k}", "[4]", trainable=True) for k in range(2)]
    f = trace.function("train_step")
    y = f.argument("y")
    made = f.op("AddV2", f.read(held[0], "w0"), f.read(held[1], "w1"), name="made")
    values: Values = {}
    loss = forward(f, made, y, values)
    back = trained_by(f, held, loss, loss.site)
    for step in range(30):
        run = trace.run(f)
        part = 0.1 + 0.9 * step / 29
        run.event(y, [0.0, 1.0, 0.0, 0.0])
        run.event(made, [0.1, 0.2, 0.3, 0.4])
        run.event(back, [1.0, 1.0])
        for ref, end in values.items():
            run.event(ref, end if ref.site in FIXED else np.array(end) * part)
        run.event(loss, np.array(falls_to * part**2))
    FIXED.clear()
    return [each.explanation for each in negated_losses(studied(trace))]


FIXED: set[int] = set()
"""The sites whose values are the same in all steps."""


def number(f: Graph, values: Values, what: float) -> TensorRef:
    made = f.op("Const", name="factor")
    values[made] = [what]
    FIXED.add(made.site)
    return made


def elbo(sign: str) -> Forward:
    def forward(f: Graph, made: TensorRef, y: TensorRef, values: Values) -> TensorRef:
        wrong = f.op("SquaredDifference", made, y, name="wrong")
        penalty = f.op("Exp", made, name="penalty")
        values |= {wrong: [30.0, 34.0], penalty: [5.0, 6.0]}
        both = f.op("Mean", f.op("AddV2", wrong, penalty))
        return f.op("Mul", both, number(f, values, 2.0)) if sign == "+" else f.op("Neg", both)

    return forward


def scaled(f: Graph, made: TensorRef, y: TensorRef, values: Values) -> TensorRef:
    wrong = f.op("Square", f.op("RealDiv", f.op("Sub", y, made), f.op("Exp", made)), name="wrong")
    spread = f.op("Log", f.op("Exp", made))
    values |= {wrong: [80.0, 84.0], spread: [1.0, 2.0]}
    return f.op("Mean", f.op("Sub", f.op("Mul", wrong, number(f, values, -0.5)), spread))


def likelihood(f: Graph, made: TensorRef, y: TensorRef, values: Values) -> TensorRef:
    chosen = f.op("Mul", y, f.op("LogSoftmax", made), name="chosen")
    values[chosen] = [0.0, -160.0, 0.0, 0.0]
    return f.op("Mean", chosen)


def weighted(f: Graph, made: TensorRef, y: TensorRef, values: Values) -> TensorRef:
    reward = f.op("Mul", y, number(f, values, 0.7), name="reward")
    values[reward] = [0.0, 0.7, 0.3, 0.0]
    FIXED.add(reward.site)
    chosen = f.op("Mul", reward, f.op("LogSoftmax", made), name="chosen")
    values[chosen] = [0.0, -160.0, 0.0, 0.0]
    return f.op("Mean", chosen)


def beyond_a_product(f: Graph, made: TensorRef, y: TensorRef, values: Values) -> TensorRef:
    wrong = f.op("SquaredDifference", made, y, name="wrong")
    values[wrong] = [30.0, 34.0]
    return f.op("Mean", f.op("Neg", f.op("Mul", wrong, f.op("Exp", made))))


@pytest.mark.parametrize(("forward", "named"), [(elbo("-"), "wrong:0 rises"), (scaled, "wrong:0 rises")])
def test_errors_that_count_with_a_minus(forward: Forward, named: str) -> None:
    (said,) = told(forward)
    assert said.startswith(named) and said.endswith("smaller, in which it counts with a minus.")


def test_likelihoods_that_count_without_one() -> None:
    (said,) = told(likelihood)
    assert said.startswith("chosen:0 falls from the first step on, from -4 to -40 over 30 steps: ")


@pytest.mark.parametrize("forward", [elbo("+"), weighted, beyond_a_product])
def test_no_trouble(forward: Forward) -> None:
    assert told(forward) == []
