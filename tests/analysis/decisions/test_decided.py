"""What a NaN decided, in as many runs as there are."""

from __future__ import annotations

from collections.abc import Iterable

from tensordbg.analysis.why import why
from tests.analysis.builder import TraceBuilder, nan

MANY = 1500
"""More runs than were ever looked at one by one."""


def choosing(bad: Iterable[bool]) -> TraceBuilder:
    """A function that chooses by the sign of a logarithm, in as many runs, some with a NaN."""
    trace = TraceBuilder()
    step = trace.function("step")
    x, one, other = (step.argument(name) for name in ("x", "one", "other"))
    logarithm = step.op("Log", x)
    above = step.op("Greater", logarithm, step.op("Const"), dtype="bool")
    chosen = step.op("SelectV2", above, one, other)
    step.returns(chosen)
    for is_bad in bad:
        run = trace.run(step)
        run.event(x, -1.0 if is_bad else 3.0)
        run.event(logarithm, nan if is_bad else 1.1)
        run.event(above, float(not is_bad), dtype="bool")
        run.event(chosen, 2.0)
    table = trace.table("tensors")
    trace.given["tensors"] = table
    return trace


def test_every_run_that_was_decided_by_a_nan_is_one_finding() -> None:
    (origin,) = why(choosing([True] * MANY)).origins
    assert (origin.occurrences, origin.reaches, origin.consequential) == (MANY, ("choice",), True)
    assert [(each.what, each.step) for each in origin.decided] == [("choice", 0)]


def test_a_run_far_behind_is_not_missed() -> None:
    trace = choosing([False] * MANY + [True])
    (origin,) = why(trace).origins
    assert [(each.what, each.step) for each in origin.decided] == [("choice", MANY)]
