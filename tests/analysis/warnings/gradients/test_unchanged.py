"""Variables that never change while others do."""

from __future__ import annotations

import numpy as np
import pytest

from tensordbg.analysis.warnings.gradients.unchanged import unchanged_variables
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import Given, network, studied

STILL: Given = {"bias": lambda _: [0.1, 0.2, 0.3, 0.4, 0.5]}


def without_write(trace: TraceBuilder) -> TraceBuilder:
    """The same, in which nothing writes the bias."""
    for row in trace.sites:
        if row["writes"] == [1]:
            row["writes"] = []
    return trace


def test_nothing_writes_it() -> None:
    (finding,) = unchanged_variables(studied(without_write(network(STILL))))
    assert (finding.variable, finding.also) == (1, ("bias",))
    assert finding.evidence == {"steps": 30, "unchanged": 1, "changed": 1}
    assert finding.explanation == (
        "bias held the same values in all 30 steps, while 1 other trainable variable changed: it is trainable, but no "
        "operation of the recorded steps writes it."
    )


def test_updates_that_are_too_small() -> None:
    (finding,) = unchanged_variables(studied(network({**STILL, "update_bias": lambda _: np.full(5, 1e-9)})))
    assert "lost in the rounding of float32 next to values of up to 0.5" in finding.explanation
    # They are in float32 already, so the gradient is too small.
    assert finding.suggestion.startswith("Its updates are next to nothing")


@pytest.mark.parametrize(
    "trace",
    [
        without_write(network(STILL, trainable=False)),
        without_write(network(STILL, trainable=None)),
        without_write(network({**STILL, "kernel": lambda _: np.ones((4, 5))})),  # nothing changes at all
        without_write(network(STILL, steps=4)),
        without_write(network({"bias": lambda step: [0.1 + 1e-9 * step] * 5})),
        without_write(network({"bias": lambda _: [0.1]})),  # a single number is a setting
        network({**STILL, "gradient_tape/BiasAdd/BiasAddGrad": lambda _: np.zeros(5)}),  # another rule's
    ],
)
def test_no_trouble(trace: TraceBuilder) -> None:
    assert unchanged_variables(studied(trace)) == []


@pytest.mark.parametrize("data", [True, False])
def test_a_network_that_only_looks_at_what_is_trained_stays_as_it_is(data: bool) -> None:
    trace = TraceBuilder()
    picture, kernel = (trace.variable(name, "[4]", trainable=True) for name in ("picture", "kernel"))
    f = trace.function("train_step")
    given, target = f.argument("given"), f.argument("target")
    read, fixed = f.read(picture, "picture"), f.read(kernel, "kernel")
    seen = f.op("Mul", f.op("MatMul", read, given, name="learned") if data else read, fixed)
    loss = f.op("Mean", f.op("Sub", seen, target, name="error"), name="loss")
    slope = f.op("Mul", loss, fixed, name="gradient_tape/Mul")
    f.write(picture, slope, op_type="AssignSubVariableOp")
    f.returns(loss)
    for step in range(30):
        run = trace.run(f)
        for ref in (read, seen, loss, slope):
            run.event(ref, [0.5 + 0.01 * step] * 4)
        for ref in (given, target, fixed):
            run.event(ref, [0.1, 0.2, 0.3, 0.4])
    assert [each.variable for each in unchanged_variables(studied(trace))] == [kernel] * data
