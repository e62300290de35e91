"""Logarithms of what nears zero."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tensordbg.analysis.warnings.magnitudes.near_log import logs_near_zero
from tensordbg.analysis.warnings.study.study import Finding
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import studied


def findings(smallest: Callable[[int], float], floor: str = "") -> list[Finding]:
    """What is said of the logarithm of a tensor with this smallest element in each step, kept up by an operation."""
    trace = TraceBuilder()
    w = trace.variable("w", "[2]", trainable=True)
    f = trace.function("train_step")
    read = f.read(w)
    p = f.op("Softmax", read)
    constant = f.op("Const", name="floor")
    given = f.op(floor, p, constant) if floor else p
    log = f.op("Log", f.op("Identity", given), line=7)
    loss = f.op("Mean", log, name="loss")
    f.write(w, f.op("Mul", loss, read, name="gradient_tape/loss/Mul"), op_type="AssignSubVariableOp")
    for step in range(20):
        run = trace.run(f)
        elements = np.array([smallest(step), 0.5])
        for ref, values in ((read, [1.0, 2.0]), (p, elements), (constant, 1e-7), (log, np.log(elements)), (loss, 1.5)):
            run.event(ref, values)
    return logs_near_zero(studied(trace))


def test_nothing_keeps_it_from_zero() -> None:
    (finding,) = findings(lambda step: 0.1 * 0.3**step)
    assert finding.kind == "log_near_zero"
    assert finding.evidence["smallest"] < 1e-9  # type: ignore[operator]
    assert finding.explanation.startswith("The input of Log:0 nears 0: its smallest element fell from 0.0")


@pytest.mark.parametrize("floor", ["Maximum", "AddV2"])
def test_a_constant_keeps_it_from_zero(floor: str) -> None:
    assert findings(lambda step: 0.1 * 0.3**step, floor) == []
    assert len(findings(lambda step: 0.1 * 0.3**step, "Mul")) == 1


@pytest.mark.parametrize(
    "smallest",
    [
        lambda step: 0.1 * 0.8**step,  # it is small, but not near
        lambda step: 1e-8,  # so from the beginning
        lambda step: 0.1 if step % 2 else 1e-9,
        lambda step: 1e-9 * 2.0**step,
    ],
)
def test_it_does_not_near_zero(smallest: Callable[[int], float]) -> None:
    assert findings(smallest) == []
