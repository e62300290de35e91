"""A loss that takes logarithms of probabilities is given other numbers, which it first clips to lie between 0 and 1.

It is finite then, and says nothing. Where it clips, no gradient comes through: the examples that are most wrong are
those from which nothing is learnt.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.causes.case import number
from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.descent import nearest
from tensordbg.analysis.warnings.study.study import ENOUGH, Finding, Study
from tensordbg.operations.kinds import Kind

_BOUNDS = {Kind.CLIP: 3, Kind.MAXIMUM: 1, Kind.MINIMUM: 2}
"""What keeps numbers above a bound (1), below one (2), or both."""
_BOTH = 3
_ROUNDING = 1e-2
_SHARE = 0.5
"""In so many of the steps numbers are clipped; one that is sure of an example may be beyond 1 by rounding."""
_LONGEST = 4


def clipped_probabilities(study: Study) -> list[Finding]:
    """One finding for each tensor that is clipped before its logarithm is taken, and is no probability."""
    trained = study.from_trained
    found: dict[int, Finding] = {}
    for port, several in study.at.items():
        site = study.wiring.site(port)
        if site is None or operation_of(site).kind is not Kind.LOG or not study.forward[port] or not trained[port]:
            continue
        for clipped in _operands(study, port):
            for given in _behind_bounds(study, clipped, trained):
                if given not in found and _is_outside(study, clipped, given):
                    found[given] = _finding(study, several[0], clipped, given)
    return list(found.values())


def _operands(study: Study, port: int) -> list[int]:
    """What a logarithm is taken of, or that is taken from 1 before."""
    given = [nearest(study, each) for each in study.wiring.parents(port)]
    rest = [each for each in given if study.kind(each) is Kind.SUBTRACT]
    return given + [nearest(study, before) for each in rest for before in study.wiring.parents(each)]


def _behind_bounds(study: Study, port: int, trained: Bools) -> Iterator[int]:
    """What is made of weights and kept between two bounds, one after the other or both at once."""
    bounds = 0
    for _ in range(_LONGEST):
        own = _BOUNDS.get(study.kind(port), 0)
        if not own:
            break
        bounds |= own
        before = [nearest(study, each) for each in study.wiring.parents(port)]
        made = [each for each in before if each in study.at and trained[each]]
        if not made:
            return
        port = made[0]
    if bounds == _BOTH:
        yield port


def _is_outside(study: Study, clipped: int, given: int) -> bool:
    """Whether numbers beyond 0 and 1 were clipped to lie between them, in most steps and in the last ones."""
    if clipped not in study.at or given not in study.at:
        return False
    within, k = study.series.rows(study.at[clipped][0]), study.at[given][0]
    low, high = study.series.low[study.series.rows(k)], study.series.high[study.series.rows(k)]
    if len(low) < ENOUGH or study.series.low[within].min() < 0 or study.series.high[within].max() > 1:
        return False
    outside = (low < -_ROUNDING) | (high > 1 + _ROUNDING)
    return bool(outside.mean() >= _SHARE and np.any(outside[-ENOUGH:]))


def _finding(study: Study, k: int, clipped: int, given: int) -> Finding:
    own = study.at[given][0]
    rows = study.series.rows(own)
    low, high = float(study.series.low[rows].min()), float(study.series.high[rows].max())
    return Finding(
        kind="clipped_probabilities",
        series=k,
        explanation=f"{study.name(k)} takes the logarithm of probabilities, but {study.name(own)}, which it is given, "
        f"reaches from {number(low)} to {number(high)}. {study.name(study.at[clipped][0])} clips it to lie between 0 "
        "and 1, and where it does, no gradient comes through.",
        suggestion=study.fix(k, "clipped_probabilities"),
        evidence={"steps": int(study.series.lengths[k]), "smallest": low, "largest": high},
        gravity=float(study.series.lengths[k]),
    )
