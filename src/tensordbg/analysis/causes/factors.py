"""Factors that the trace doesn't hold: PyTorch's sums scale what they add, as an update does by a learning rate."""

from __future__ import annotations

import math

from tensordbg.analysis.causes.case import Case, Cause, all_finite, magnitude, number
from tensordbg.analysis.causes.magnitudes import smallest
from tensordbg.operations.operation import Role
from tensordbg.operations.traits import Trait

_ROOM = 4.0
"""So far below the largest number of its type a plain sum is that can't be it."""


def _is_scaled_away(case: Case) -> bool:
    """Whether the sum of what was given is finite by far, so that only the factor makes it bad."""
    given = case.healths()
    if not case.operation.has(Trait.SCALES_ADDEND) or len(given) < len(case.inputs):
        return False
    return len(given) > 1 and all_finite(given) and magnitude(given[0]) + _added(case) < case.largest / _ROOM


def _added(case: Case) -> float:
    """The largest magnitude of what is added, before it is scaled."""
    given = case.healths()
    sizes = [magnitude(health) for health in given[1:]]
    if len(sizes) != 2:
        return sum(sizes)
    if case.operand(Role.DENOMINATOR) is None:
        return sizes[0] * sizes[1]
    divisor = smallest(given[2])
    return sizes[0] / divisor if divisor else math.inf


def _explain(case: Case) -> str:
    names = " and ".join(case.name(k) for k in case.numbers())
    largest = _added(case)
    if case.output.nan and not (case.output.pos_inf or case.output.neg_inf):
        needed = "which is NaN"
    else:
        least = case.largest / largest if largest else math.inf
        needed = (
            f"which is not finite, or larger than {number(least)}" if math.isfinite(least) else "which is not finite"
        )
    return (
        f"{names} are finite, and so is their sum: {case.op_type} scales what it adds by a factor (`alpha` or `value`, "
        f"a learning rate), {needed}."
    )


def _fix(case: Case) -> str:
    return case.fix(SCALED_AWAY)


SCALED_AWAY = "factor_not_finite"
CAUSES = (Cause(SCALED_AWAY, _is_scaled_away, _explain, _fix),)
