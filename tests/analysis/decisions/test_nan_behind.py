"""Whether a value is NaN, as far as events tell."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.decisions.nan_behind import NanBehind, distinct
from tensordbg.analysis.flow.dataflow import Flow
from tests.analysis.builder import TraceBuilder, located, nan


def test_a_value_without_an_event_is_what_it_was_made_from() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    handed = f.op("Identity", x)
    other = f.op("Neg", handed)
    f.returns(other)
    for value in (1.0, nan, 2.0):
        trace.run(f).event(x, value)
    values = located(trace)
    flow = Flow(values, values.ports.inputs)
    invocation = np.arange(3)
    sites = len(values.ports.argument)
    passing = np.zeros(sites, dtype=bool)
    passing[handed.site] = True
    none = np.zeros(sites, dtype=bool)

    def of(ref: object, through: np.ndarray, unknown: np.ndarray) -> list[bool]:
        port = np.full(3, values.ports.of(ref))  # type: ignore[arg-type]
        return NanBehind(flow, through, unknown).of(invocation, port).tolist()

    assert of(x, none, none) == [False, True, False]
    assert of(handed, none, none) == [False] * 3
    assert of(handed, passing, none) == [False, True, False]
    assert of(other, passing, none) == [False] * 3
    assert of(other, ~none, none) == [False, True, False]
    assert of(other, passing, ~passing) == [True] * 3


def test_distinct() -> None:
    one, other = distinct(np.array([2, 1, 2]), np.array([5, 5, 5]))
    assert (one.tolist(), other.tolist()) == ([1, 2], [5, 5])
