"""Gradients that are clipped while they are still multiplied by a loss scale: next to nothing of them is left.

A scaler divides them by the scale after that, so that their norm is at most the limit divided by thousands. A factor
that doesn't depend on the gradients, such as one over the number of batches, may stand anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.study import ENOUGH, Finding, Study
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_LIMITS = frozenset({Kind.CLIP, Kind.MAXIMUM, Kind.MINIMUM})
_MOSTLY = 0.5
"""In so many of the steps a clipping must have made the gradients smaller."""


def clipped_while_scaled(study: Study) -> list[Finding]:
    """One finding, where what a scaler divides by its scale was clipped before."""
    found = [k for port in _ports_unscaled(study) for k in study.at.get(port, [])[:1] if _is_clipped(study, k)]
    if not found:
        return []
    k = min(found)
    steps = int(study.series.lengths[k])
    if steps < ENOUGH:
        return []
    explanation = (
        f"The gradients are clipped in {study.name(k)} while they are still multiplied by the loss scale, and divided "
        "by that afterwards: what is left of them is smaller than the limit by the scale, next to nothing of an update."
    )
    suggestion = study.fix(k, "clipped_while_scaled")
    return [Finding("clipped_while_scaled", k, explanation, suggestion, {"steps": steps}, float(steps))]


def _ports_unscaled(study: Study) -> Iterator[int]:
    """The ports that operations take which divide gradients by a loss scale."""
    for site in study.program.sites.values():
        if operation_of(site).has(Trait.UNSCALES):
            yield from study.wiring.parents(int(study.ports.first[site.site]))


def _is_clipped(study: Study, k: int) -> bool:
    """Whether a tensor is a gradient that was made smaller by a limit."""
    port, kind = int(study.port[k]), study.kind(int(study.port[k]))
    parents = study.wiring.parents(port)
    if kind in _LIMITS:
        given = [other for each in parents if each != port for other in study.at.get(each, [])[:1]]
        return any(_shrinks(study, k, each) or _is_clipped(study, each) for each in given if each < k)
    if kind is not Kind.MULTIPLY:
        return False
    return any(_made_of(study, each, parents) and _is_below_one(study, each) for each in parents if each != port)


def _made_of(study: Study, factor: int, others: list[int]) -> bool:
    """Whether a factor is made of what it is multiplied with, as a limit divided by a norm is."""
    marks = np.zeros(len(study.gradient), dtype=np.bool_)
    marks[factor] = True
    behind = study.wiring.ancestors(marks)
    return any(behind[each] for each in others if each != factor)


def _is_below_one(study: Study, port: int) -> bool:
    return any(
        float((study.series.magnitude[study.series.rows(k)] < 1).mean()) >= _MOSTLY for k in study.at.get(port, [])[:1]
    )


def _shrinks(study: Study, k: int, before: int) -> bool:
    """Whether a tensor is mostly smaller than the one that it was made of."""
    sizes = [float(np.median(study.series.magnitude[study.series.rows(each)])) for each in (k, before)]
    return sizes[0] < sizes[1]
