"""Every recorded value is found at its address."""

from __future__ import annotations

import numpy as np

from tensordbg.model import NONE
from tests.analysis.builder import TraceBuilder, located


def test_events_lie_at_their_addresses() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    y, z = f.op("Neg", x), f.op("Abs", x)
    for _ in range(3):
        run = trace.run(f)
        run.event(y, [1.0])
        run.event(x, [1.0])
    values = located(trace)
    assert values.event(values.invocation, values.port).tolist() == list(range(6))
    assert values.event(np.array([1]), np.array([values.ports.of(z)])).tolist() == [NONE]
    assert sorted(values.event_at[values.event_at != NONE].tolist()) == list(range(6))


def test_what_only_passes_its_input_on_is_found_once() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    same, made = f.op("Identity", x), f.op("Neg", x)
    trace.run(f).event(made, [1.0])
    values = located(trace)
    assert values.passing[[x.site, same.site, made.site]].tolist() == [True, True, False]
    assert values.passing is values.passing
