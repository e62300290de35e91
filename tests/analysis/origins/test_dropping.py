"""A forward operation whose value was dropped leaves the trouble to its gradient; one nobody asked for does not."""

from __future__ import annotations

import pytest

from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, inf


@pytest.mark.parametrize(("kept", "told"), [(0.0, "gradient_tape/Reciprocal:0"), (None, "Log:0")])
def test_dropped_or_only_pruned(kept: float | None, told: str) -> None:
    trace = TraceBuilder()
    w = trace.variable("w")
    f = trace.function("train_step")
    x = f.argument("x")
    log = f.op("Log", x)
    loss = f.op("Maximum", log)
    slope = f.op("Reciprocal", x, name="gradient_tape/Reciprocal")
    f.write(w, slope, op_type="AssignSubVariableOp")
    f.returns(loss)
    run = trace.run(f)
    run.event(x, 0.0)
    run.event(log, -inf)
    if kept is not None:
        run.event(loss, kept)
    run.event(slope, inf)
    (origin,) = [each for each in why(trace).origins if each.consequential]
    assert origin.view.tensor == told
