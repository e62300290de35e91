"""Values that grow exponentially from iteration to iteration of a loop within a step, as in a recurrent network.

A loop that Python runs shows in the sites of one line, each made from the one before, or in eager code in one site
whose numbers grow and fall back.

A number that is multiplied by the same factor in each iteration gains from the middle of the iterations to the last the
square of what it gains from a quarter of them to the middle; one that grows as a power of the iteration gains the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.causes.case import number
from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.descent import first_of
from tensordbg.analysis.warnings.study.forward import differentiated_eagerly, forward_of
from tensordbg.analysis.warnings.study.outside import comes_in
from tensordbg.analysis.warnings.study.series import Floats
from tensordbg.analysis.warnings.study.study import Finding, Study
from tensordbg.analysis.warnings.study.unrolled import (
    Iterations,
    is_chain,
    unrolled_backward,
    unrolled_eagerly,
    unrolled_in_graphs,
)
from tensordbg.analysis.warnings.study.words import listed, times
from tensordbg.model import NONE, Site
from tensordbg.operations.traits import Trait

_FACTOR = 1e3
"""From a quarter of the iterations to the last it must grow so many times ..."""

_LEAST = 100.0
"""... to as much as this ..."""

_EXPONENTIAL = 1.4
"""... and from the middle on by this power of what it grew by before ..."""

_PART = 0.5
"""... in this part of the steps, the last one too."""


@dataclass(frozen=True)
class _Growth:
    """How a tensor went over the iterations of a loop."""

    series: int
    turns: int
    quarter: float
    middle: float
    last: float


def growth_in_loops(study: Study) -> list[Finding]:
    """One finding for all that grows in loops: the first in the data flow, a forward pass before its gradient."""
    everything = [*(each for each in _in_loops(study) if not _is_passed_in(study, each)), *_unrolled(study)]
    found = {port: each for each in everything if _counts(study, port := int(study.port[each.series]))}
    if not found:
        return []
    forward = [port for port in found if not study.gradient[port]]
    lead = first_of(study, sorted(forward or found))[0]
    return [_finding(study, found[lead], [found[port].series for port in sorted(found) if port != lead])]


def _in_loops(study: Study) -> Iterator[_Growth]:
    """What grows in loops of the framework."""
    grows = _grows(study.series.course)
    if grows.any():
        count = np.add.reduceat(grows, study.series.starts[:-1], dtype=np.int64)
        last = study.series.starts[1:] - 1
        for k in np.flatnonzero(grows[last] & (count >= _PART * study.series.lengths)).tolist():
            yield _Growth(k, int(study.series.turns[last[k]]), *study.series.course[last[k]].tolist())


def _unrolled(study: Study) -> Iterator[_Growth]:
    """What grows in loops that Python runs."""
    for turns in unrolled_in_graphs(study):
        found = _growth(turns)
        if found is not None and is_chain(study, turns):
            yield found
    for turns in (*unrolled_backward(study), *unrolled_eagerly(study)):
        found = _growth(turns)
        if found is not None:
            yield found


def _growth(turns: Iterations) -> _Growth | None:
    last = len(turns.sizes) - 1
    course = turns.sizes[[last // 4, last // 2, last]]
    return _Growth(turns.series, last + 1, *course.tolist()) if _grows(course[None])[0] else None


def _grows(course: Floats) -> Bools:
    quarter, middle, last = course.T
    with np.errstate(divide="ignore", invalid="ignore"):
        before, after = np.log(middle / quarter), np.log(last / middle)
        result: Bools = (last >= _FACTOR * quarter) & (last >= _LEAST) & (before > 0) & (after >= _EXPONENTIAL * before)
    return result


def _counts(study: Study, port: int) -> bool:
    return bool(study.forward[port] or study.gradient[port]) and not _is_of_exponentials(study, port)


def _is_passed_in(study: Study, found: _Growth) -> bool:
    """Whether it is no state of a loop in Python, but made anew each time of what the program passes in."""
    return study.site(found.series).function == NONE and comes_in(study, int(study.port[found.series]))


def _is_of_exponentials(study: Study, port: int) -> bool:
    """Whether it is an exponential, or a sum of some: it grows so where what it is taken of grows as a sum does."""
    makers = [study.wiring.site(port), *map(study.wiring.site, study.wiring.parents(port))]
    first, *before = (None if maker is None else operation_of(maker) for maker in makers)
    if first is None or first.has(Trait.EXPONENTIAL):
        return first is not None
    sums = first.has(Trait.ADDS, Trait.SUMS_UP)
    return sums and any(each is not None and each.has(Trait.EXPONENTIAL) for each in before)


def _forward(study: Study, site: Site) -> Site | None:
    return forward_of(study, site) or differentiated_eagerly(study, site)


def _finding(study: Study, found: _Growth, others: list[int]) -> Finding:
    k = found.series
    step = int(study.series.step[study.series.starts[k + 1] - 1])
    backward = bool(study.gradient[study.port[k]])
    forward = _forward(study, study.site(k)) if backward else None
    what = "The gradient " if backward else ""
    return Finding(
        kind="growing_in_loop",
        series=k,
        explanation=(
            f"{what}{study.name(k)} grows exponentially over the {found.turns} iterations of a loop within a step: "
            f"from {number(found.quarter)} in a quarter of the iterations over {number(found.middle)} in the middle to "
            f"{number(found.last)} in the last, {times(found.last / found.quarter)}, in step {step}."
        ),
        suggestion=study.fix(k, "growing_in_loop"),
        evidence={
            "turns": found.turns,
            "quarter": found.quarter,
            "middle": found.middle,
            "last": found.last,
            "step": step,
        },
        gravity=found.last / found.quarter,
        site=forward.site if forward is not None else NONE,
        also=listed([study.name(other) for other in others]),
    )
