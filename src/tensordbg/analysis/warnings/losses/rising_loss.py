"""Losses that rise from the first step on, as with a wrong sign or a rate that is too large.

A loss may rise where another falls that works against it, where the examples become harder, and by chance; so it
must rise in nearly every step, while nothing else that is made of the weights falls and what goes in stays as large
as it was.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.causes.case import number
from tensordbg.analysis.warnings.study.losses import Loss, differentiated, find_losses
from tensordbg.analysis.warnings.study.series import Floats
from tensordbg.analysis.warnings.study.study import Finding, Study, brings_data
from tensordbg.analysis.warnings.study.trends import changed, root_mean_square, trend

_STEPS = 10
_RISE = 0.5
"""It must rise by at least this part of what it was ..."""

_ORDER = 0.9
"""... with this rank correlation with the steps ..."""

_FIRST = 0.1
"""... and have been smallest in this part of the steps, the first ones."""

_FALLS = 0.2
"""What falls by this part of what it was may be what is trained."""

_HARDER = 1.5
"""Inputs that are so many times as large in the end are others than at first."""


def rising_losses(study: Study) -> list[Finding]:
    """One finding for the loss that rises most."""
    if not study.gradient.any():
        return []
    found = differentiated(study, [loss for loss in find_losses(study) if _rises(loss.values)])
    if not found or _something_falls(study) or _inputs_grow(study):
        return []
    return [_finding(study, max(found, key=lambda loss: abs(loss.end / loss.values[0]) if loss.values[0] else 0.0))]


def _rises(values: Floats) -> bool:
    count = len(values)
    if count < _STEPS:
        return False
    width = max(1, count // 8)
    begin, end = float(np.median(values[:width])), float(np.median(values[-width:]))
    if end <= begin or end - begin < _RISE * abs(begin) or int(np.argmin(values)) >= max(1, _FIRST * count):
        return False
    return _rank_correlation(values) >= _ORDER


def _rank_correlation(values: Floats) -> float:
    """How well the order of the values is that of the steps; equal values have one rank."""
    _, ranks = np.unique(values, return_inverse=True)
    return float(np.corrcoef(ranks, np.arange(len(values)))[0, 1]) if ranks.any() else 0.0


def _something_falls(study: Study) -> bool:
    """Whether a number that is made of the weights falls: a part of the loss, or that of an adversary."""
    values = study.series.total / np.maximum(study.series.size, 1)
    trends = [trend(study, values, k) for k in study.losses]
    return any(each is not None and each.begin - each.end >= _FALLS * abs(each.begin) for each in trends)


def _inputs_grow(study: Study) -> bool:
    sizes = root_mean_square(study)
    grown = changed(study, sizes, _HARDER)
    return any(
        brings_data(study.site(k)) and (found := trend(study, sizes, k)) is not None and found.ratio >= _HARDER
        for k in grown
    )


def _finding(study: Study, loss: Loss) -> Finding:
    first, end, steps = float(loss.values[0]), float(loss.values[-1]), len(loss.values)
    return Finding(
        kind="rising_loss",
        series=loss.series,
        explanation=(
            f"{study.name(loss.series)} rises from the first step on: from {number(first)} to {number(end)} over "
            f"{steps} steps, and it was never smaller than in the beginning."
        ),
        suggestion=study.fix(loss.series, "rising_loss"),
        evidence={"steps": steps, "first": first, "last": end},
        gravity=end - first,
    )
