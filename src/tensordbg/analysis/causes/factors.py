"""Factors that the trace doesn't hold: PyTorch's sums scale what they add, as an update does by a learning rate."""

from __future__ import annotations

import math

from tensordbg.analysis.causes.case import Case, Cause, all_finite, magnitude, number
from tensordbg.operations.frameworks import TORCH
from tensordbg.operations.kinds import Kind

_SUMS = (Kind.ADD, Kind.SUBTRACT)
_ROOM = 4.0
"""So far below the largest number of its type a plain sum is that can't be it."""


def _is_scaled_away(case: Case) -> bool:
    """Whether the sum of what was given is finite by far, so that only the factor makes it bad."""
    given = case.healths()
    if case.framework != TORCH or case.operation.kind not in _SUMS or len(given) < len(case.inputs):
        return False
    return len(given) > 1 and all_finite(given) and sum(map(magnitude, given)) < case.largest / _ROOM


def _explain(case: Case) -> str:
    names = " and ".join(case.name(k) for k in case.numbers())
    largest = max(map(magnitude, case.healths()))
    if case.output.nan and not (case.output.pos_inf or case.output.neg_inf):
        needed = "which is NaN"
    else:
        least = case.largest / largest if largest else math.inf
        needed = (
            f"which is not finite, or larger than {number(least)}" if math.isfinite(least) else "which is not finite"
        )
    return (
        f"{names} are finite, and so is their sum: {case.op_type} scales the second by a factor before it adds it "
        f"(`alpha`, a learning rate), {needed}."
    )


def _fix(case: Case) -> str:
    return case.fix(SCALED_AWAY)


SCALED_AWAY = "factor_not_finite"
CAUSES = (Cause(SCALED_AWAY, _is_scaled_away, _explain, _fix),)
