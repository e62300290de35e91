"""Gradients that come and change nothing."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tensordbg.analysis.warnings.gradients.no_updates import no_updates
from tensordbg.model import GRADIENT_FOR
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


def compiled(*written: tuple[int, ...]) -> TraceBuilder:
    """A gradient of a variable that no operation is known to write, and a graph that writes into its arguments."""
    trace = TraceBuilder()
    kernel = trace.variable("kernel", "[4, 5]", trainable=True)
    backward, update = trace.function("backward"), trace.function("update")
    read = backward.read(kernel, "kernel")
    noted = json.dumps({GRADIENT_FOR: [[0, kernel]]})
    gradient = backward.op("aten::mm", read, framework="torch", backward=True, attributes=noted)
    copies = [update.op("aten::copy_", update.argument(f"arg{k}"), framework="torch") for k in range(len(written))]
    for step in range(8):
        run, after = trace.run(backward), trace.run(update)
        run.event(read, np.linspace(-1, 1, 20).reshape(4, 5))
        run.event(gradient, np.full((4, 5), 0.1 + step))
        for copy, shape in zip(copies, written, strict=True):
            after.event(copy, np.full(shape, float(step)))
    return trace


def test_what_a_graph_writes_into_its_arguments_may_be_the_variables() -> None:
    (finding,) = no_updates(studied(compiled((5,))))
    assert finding.evidence["reason"] == "others"
    assert no_updates(studied(compiled((5,), (4, 5)))) == []
