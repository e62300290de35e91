"""Losses that stay exactly the same while gradients are computed: nothing of the training comes to them."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.causes.case import number
from tensordbg.analysis.warnings.study.losses import Loss, differentiated, find_losses
from tensordbg.analysis.warnings.study.study import Finding, Study

_STEPS = 10
"""In fewer steps it may be chance, or a rate that begins at zero."""

_SETTLING = 3
"""It may take so many steps to become constant ..."""

_LEFT = 0.5
"""... if this part of it is left: a problem that is solved in a step is no trouble."""


def constant_losses(study: Study) -> list[Finding]:
    """One finding for each loss that is the same in all steps, or in all but the first few."""
    if not study.gradient.any():
        return []
    constant = [loss for loss in find_losses(study) if _is_constant(loss)]
    return [_finding(study, loss) for loss in differentiated(study, constant)]


def _is_constant(loss: Loss) -> bool:
    values = loss.values
    if len(values) < _STEPS or values[-1] == 0 or not abs(values[-1]) >= _LEFT * abs(values[0]):
        return False
    return bool((values[_SETTLING:] == values[-1]).all())


def _finding(study: Study, loss: Loss) -> Finding:
    value, steps = float(loss.values[-1]), len(loss.values)
    same = int(np.argmin(loss.values[::-1] == value)) or steps
    return Finding(
        kind="constant_loss",
        series=loss.series,
        explanation=(
            f"{study.name(loss.series)} is exactly {number(value)} in {'all' if same == steps else 'the last'} {same} "
            "steps, although gradients are computed: what is trained does not change it."
        ),
        suggestion=study.fix(loss.series, "constant_loss"),
        evidence={"steps": same, "loss": value},
        gravity=float(same),
    )
