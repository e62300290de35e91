"""A small trace for tests of the reading half: three steps of a training whose logarithm meets a zero in the last."""

from __future__ import annotations

from pathlib import Path

from tensordbg.model import Health
from tests.trace.builder import Tensor, TraceBuilder, small_program

STEPS = 3
TENSOR_EVENTS = 4 * STEPS
"""In each step the argument `x`, `Log`, `mul` in the function called, and an eager `Add`."""


def health_of(low: float, high: float, neg_inf: int = 0) -> Health:
    """Of six elements: a low one, zeros, a high one."""
    first_bad = 2 if neg_inf else -1
    total, squares = low + high, low * low + high * high
    return Health(
        size=6,
        negative=int(low < 0),
        zero=4 - neg_inf,
        neg_inf=neg_inf,
        min=low,
        max=high,
        sum=total,
        sum_squares=squares,
        first_bad=first_bad,
    )


def make_sample_trace(folder: Path) -> Path:
    """Writes the trace, not sealed."""
    build = TraceBuilder(folder)
    build.describe(small_program())
    for step in range(STEPS):
        bad = int(step == STEPS - 1)
        call = build.begin(site=5, function=0, step=step)
        build.graph_tensor(step + 70, 0, Tensor(health=health_of(0.0, step + 1.0)))
        build.graph_tensor(step + 70, 1, Tensor(health=health_of(-float(step + 1), step + 0.5, neg_inf=bad)))
        build.graph_tensor(step + 70, 4, Tensor(health=health_of(-1.0, 10.0 * step), path=1, shape=(6,)))
        build.end(call)
        add = build.begin(site=6, step=step)
        build.eager_tensor(add, 6, Tensor(health=health_of(-1.0, 2.0), dtype="float64"))
        build.end(add)
    return build.finish()
