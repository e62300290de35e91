"""Losses that rise from the first step on, as with a wrong sign or a rate that is too large.

A loss may rise where another falls that works against it, where the examples become harder, and by chance; so it
must rise in nearly every step, while nothing else that is made of the weights falls and what goes in stays as large
as it was.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from tensordbg.analysis.causes.case import number
from tensordbg.analysis.warnings.losses.negated_error import is_multiple, negated_error
from tensordbg.analysis.warnings.losses.opponents import has_opponent
from tensordbg.analysis.warnings.losses.opposed_parts import opposed_errors, opposed_likelihoods
from tensordbg.analysis.warnings.study.losses import Loss, differentiated, find_losses
from tensordbg.analysis.warnings.study.series import Floats
from tensordbg.analysis.warnings.study.study import Finding, Study, brings_data
from tensordbg.analysis.warnings.study.trends import changed, root_mean_square, trend

_STEPS = 10
_RISE = 0.5
"""It must rise by at least this part of what it was ..."""

_RISE_OF_ERROR = 0.05
"""... or by this one where training is given its negative, which no error should be ..."""

_SEVERAL = 2
"""So many variables must be trained: one alone may be an example that is made to go wrong."""

_ORDER = 0.9
"""... with this rank correlation with the steps ..."""

_FIRST = 0.1
"""... and have been smallest in this part of the steps, the first ones."""

_SLOW = 0.4
"""... or in this one, where the sign of a part of the loss is wrong: it says enough ..."""

_FALLS = 0.2
"""What falls by this part of what it was may be what is trained."""

_HARDER = 1.5
"""Inputs that are so many times as large in the end are others than at first."""


def rising_losses(study: Study) -> list[Finding]:
    """One finding for the loss that rises most."""
    if not study.gradient.any():
        return []
    found = differentiated(study, [loss for loss in find_losses(study) if _rises(loss.values)])
    if not found or _something_falls(study, ()) or _inputs_grow(study):
        return []
    return [_finding(study, max(found, key=lambda loss: abs(loss.end / loss.values[0]) if loss.values[0] else 0.0))]


def negated_losses(study: Study) -> list[Finding]:
    """One finding for the error that rises as its negative, the loss, falls."""
    if not study.gradient.any() or len(_written(study)) < _SEVERAL:
        return []
    falling = [loss for loss in find_losses(study) if _rises(-loss.values, _RISE_OF_ERROR)]
    found = {
        loss.series: error
        for loss in differentiated(study, falling)
        if (error := negated_error(study, loss) or _opposed(study, loss)) and not has_opponent(study, loss)
    }
    if not found or _something_falls(study, found) or _inputs_grow(study):
        return []
    series, error = next(iter(found.items()))
    return [_of_likelihood(study, series, error) if error.values[-1] < 0 else _of_negated(study, series, error)]


def _opposed(study: Study, loss: Loss) -> Loss | None:
    """The part of a falling loss that goes the wrong way, an error that rises or a likelihood that falls."""
    if not loss.values[-1] < 0 or not _rises(-loss.values, _RISE, _SLOW):
        return None
    errors = (part for part in opposed_errors(study, loss) if _rises(part.values, _RISE, _SLOW))
    likelihoods = (part for part in opposed_likelihoods(study, loss) if _rises(-part.values, _RISE, _SLOW))
    return next(errors, None) or next(likelihoods, None)


def _written(study: Study) -> set[int]:
    """The variables that are trained; whoever searches for an example that goes wrong trains that alone."""
    read = {variable for port, variable in study.variable_of.items() if study.trained_reads[port]}
    return {variable for variable in read if variable in study.writers}


def _rises(values: Floats, least: float = _RISE, first: float = _FIRST) -> bool:
    count = len(values)
    if count < _STEPS:
        return False
    width = max(1, count // 8)
    begin, end = float(np.median(values[:width])), float(np.median(values[-width:]))
    if end <= begin or end - begin < least * abs(begin) or int(np.argmin(values)) >= max(1, first * count):
        return False
    return _rank_correlation(values) >= _ORDER


def _rank_correlation(values: Floats) -> float:
    """How well the order of the values is that of the steps; equal values have one rank."""
    _, ranks = np.unique(values, return_inverse=True)
    return float(np.corrcoef(ranks, np.arange(len(values)))[0, 1]) if ranks.any() else 0.0


def _something_falls(study: Study, negatives: Collection[int]) -> bool:
    """Whether a number that is made of the weights falls: a part of the loss, or that of an adversary.

    What the negative of something that rises is made of, or is made from it, is no other.
    """
    values = study.series.total / np.maximum(study.series.size, 1)
    marks = np.zeros(len(study.ports.site), dtype=np.bool_)
    marks[study.port[[*negatives]] if negatives else []] = True
    same = study.wiring.ancestors(marks) | study.wiring.descendants(marks)
    trends = [trend(study, values, k) for k in study.losses if not same[study.port[k]]]
    return any(each is not None and each.begin - each.end >= _FALLS * abs(each.begin) for each in trends)


def _inputs_grow(study: Study) -> bool:
    sizes = root_mean_square(study)
    grown = changed(study, sizes, _HARDER)
    return any(
        brings_data(study.site(k)) and (found := trend(study, sizes, k)) is not None and found.ratio >= _HARDER
        for k in grown
    )


def _of_negated(study: Study, series: int, error: Loss) -> Finding:
    text = (
        f"rises from the first step on, from {_from_to(error)}: the training makes {study.name(series)} smaller, "
        f"{'which is its negative' if _is_negative(study, series, error) else 'in which it counts with a minus'}."
    )
    return _of_loss(study, "negated_loss", error, text)


def _of_likelihood(study: Study, series: int, part: Loss) -> Finding:
    text = (
        f"falls from the first step on, from {_from_to(part)}: it holds the logarithms of the labels' probabilities, "
        f"and the training makes {study.name(series)} smaller, in which they count without a minus."
    )
    return _of_loss(study, "negated_loss", part, text, "likelihood")


def _finding(study: Study, loss: Loss) -> Finding:
    text = f"rises from the first step on: from {_from_to(loss)}, and it was never smaller than in the beginning."
    return _of_loss(study, "rising_loss", loss, text)


def _is_negative(study: Study, series: int, error: Loss) -> bool:
    return is_multiple(study.series.means(series), error.values)


def _from_to(loss: Loss) -> str:
    return f"{number(float(loss.values[0]))} to {number(float(loss.values[-1]))} over {len(loss.values)} steps"


def _of_loss(study: Study, kind: str, loss: Loss, text: str, known: str = "") -> Finding:
    first, end = float(loss.values[0]), float(loss.values[-1])
    return Finding(
        kind=kind,
        series=loss.series,
        explanation=f"{study.name(loss.series)} {text}",
        suggestion=study.fix(loss.series, kind, known),
        evidence={"steps": len(loss.values), "first": first, "last": end},
        gravity=abs(end - first),
    )
