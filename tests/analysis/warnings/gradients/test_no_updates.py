"""Gradients that come and change nothing."""

from __future__ import annotations

import numpy as np
import pytest

from tensordbg.analysis.warnings.gradients.no_updates import no_updates
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import Given, network, studied

BIAS = "gradient_tape/BiasAdd/BiasAddGrad"
STILL: Given = {
    "kernel": lambda _: np.linspace(-1, 1, 20).reshape(4, 5),
    "bias": lambda _: [0.1, 0.2, 0.3, 0.4, 0.5],
    "update": lambda _: np.zeros((4, 5)),
    "update_bias": lambda _: np.zeros(5),
}


def until(step: int, size: float) -> TraceBuilder:
    """Weights that change up to a step, with gradients of some size behind it."""
    kernel = np.linspace(-1, 1, 20).reshape(4, 5)
    changing: Given = {
        "kernel": lambda now: kernel + min(now, step) * 0.01,
        "gradient_tape/MatMul/MatMul": lambda _: np.full((4, 5), size),
        BIAS: lambda _: np.full(5, size),
    }
    return network({**STILL, **changing})


def test_a_rate_of_zero() -> None:
    (finding,) = no_updates(studied(network(STILL)))
    assert finding.also == ("kernel", "bias")
    assert finding.evidence == {"steps": 30, "variables": 2, "reason": "rate"}
    assert finding.explanation == (
        "kernel and 1 more variable, all that gets gradients, stayed the same in all 30 steps, although the gradients "
        "are not zero: it is written with what it held already, so the rate is zero or next to it, or the gradients "
        "are gone by the time of the step."
    )


def test_a_rate_that_goes_to_zero() -> None:
    (finding,) = no_updates(studied(until(8, 0.1)))
    assert "stayed the same in the last 22 steps" in finding.explanation


@pytest.mark.parametrize(
    "trace",
    [
        network(),
        network({**STILL, BIAS: lambda _: np.zeros(5), "gradient_tape/MatMul/MatMul": lambda _: np.zeros((4, 5))}),
        network(STILL, steps=4),
        network(STILL, trainable=False),
        until(26, 0.1),  # a schedule may end at zero
        until(8, 1e-6),  # it has converged
    ],
)
def test_no_trouble(trace: TraceBuilder) -> None:
    assert no_updates(studied(trace)) == []
