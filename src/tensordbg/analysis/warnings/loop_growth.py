"""Values that grow exponentially from turn to turn of a loop within a step, as in a recurrent network.

A number that is multiplied by the same factor in each turn gains from the middle of the turns to the last the square of
what it gains from a quarter of them to the middle; one that grows as a power of the turn gains the same.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.causes.case import number
from tensordbg.analysis.reading import Bools
from tensordbg.analysis.warnings.descent import first_of
from tensordbg.analysis.warnings.forward import forward_of
from tensordbg.analysis.warnings.study import Finding, Study
from tensordbg.analysis.warnings.words import listed, times
from tensordbg.model import NONE

_FACTOR = 1e3
"""From a quarter of the turns to the last it must grow so many times ..."""

_LEAST = 100.0
"""... to as much as this ..."""

_EXPONENTIAL = 1.4
"""... and from the middle on by this power of what it grew by before ..."""

_PART = 0.5
"""... in this part of the steps, the last one too."""


def growth_in_loops(study: Study) -> list[Finding]:
    """One finding for all that grows in loops: the first in the data flow, a forward pass before its gradient."""
    grows = _grows(study)
    found = {int(study.port[k]): k for k in _mostly(study, grows) if _counts(study, int(study.port[k]))}
    if not found:
        return []
    forward = [port for port in found if not study.gradient[port]]
    lead = first_of(study, sorted(forward or found))[0]
    return [_finding(study, found[lead], [found[port] for port in sorted(found) if port != lead])]


def _grows(study: Study) -> Bools:
    quarter, middle, last = study.series.course.T
    with np.errstate(divide="ignore", invalid="ignore"):
        before, after = np.log(middle / quarter), np.log(last / middle)
        result: Bools = (last >= _FACTOR * quarter) & (last >= _LEAST) & (before > 0) & (after >= _EXPONENTIAL * before)
    return result


def _mostly(study: Study, grows: Bools) -> list[int]:
    if not grows.any():
        return []
    count = np.add.reduceat(grows, study.series.starts[:-1], dtype=np.int64)
    last = grows[study.series.starts[1:] - 1]
    return [int(k) for k in np.flatnonzero(last & (count >= _PART * study.series.lengths))]


def _counts(study: Study, port: int) -> bool:
    return bool(study.learning[port] or study.gradient[port])


def _finding(study: Study, k: int, others: list[int]) -> Finding:
    last = int(study.series.starts[k + 1]) - 1
    quarter, middle, end = study.series.course[last].tolist()
    turns, step = int(study.series.turns[last]), int(study.series.step[last])
    backward = bool(study.gradient[study.port[k]])
    forward = forward_of(study, study.site(k)) if backward else None
    what = "The gradient " if backward else ""
    return Finding(
        kind="growing_in_loop",
        series=k,
        explanation=(
            f"{what}{study.name(k)} grows exponentially over the {turns} turns of a loop within a step: from "
            f"{number(quarter)} in a quarter of the turns over {number(middle)} in the middle to {number(end)} in the "
            f"last, {times(end / quarter)}, in step {step}."
        ),
        suggestion=(
            "Each turn multiplies by more than 1. Scale the recurrent weights down (orthogonal, with a gain of 1 or "
            "less), put a bounded activation such as tanh or a normalisation into the loop, or use a gated cell (LSTM, "
            "GRU); clip the gradients."
        ),
        evidence={"turns": turns, "quarter": quarter, "middle": middle, "last": end, "step": step},
        gravity=end / quarter,
        site=forward.site if forward is not None else NONE,
        also=listed([study.name(other) for other in others]),
    )
