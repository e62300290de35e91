"""How much a trace holds, in a few numbers: the summary after a program has been recorded."""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.analysis.query import sql
from tensordbg.trace.reader import TraceReader


@dataclass(frozen=True)
class Totals:
    """What was recorded."""

    tensor_events: int
    measured: int
    """Of them those whose health was measured."""
    non_finite: int
    """Of those the ones with an infinity or a NaN."""
    steps: int
    """How often the function that was called most often was run; 0 if there was none."""


_TENSORS = """
SELECT count(*) AS events, count(nan) AS measured, count(*) FILTER (nan + neg_inf + pos_inf > 0) AS bad FROM tensors
"""
_STEPS = """
SELECT coalesce(max(step) FILTER (function >= 0), max(step), -1) + 1 AS steps FROM executions
"""


def totals_of(reader: TraceReader) -> Totals:
    """Counts what a trace holds."""
    tensors = sql(reader, _TENSORS).to_pylist()[0]
    steps = sql(reader, _STEPS).to_pylist()[0]["steps"]
    return Totals(tensors["events"], tensors["measured"], tensors["bad"], steps)
