"""Values that grow from step to step by orders of magnitude: training that diverges."""

from __future__ import annotations

from tensordbg.analysis.causes.case import number
from tensordbg.analysis.causes.overflow import GIVEN
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.descent import first_of
from tensordbg.analysis.warnings.study.losses import Loss, differentiated, find_losses
from tensordbg.analysis.warnings.study.outside import comes_in
from tensordbg.analysis.warnings.study.study import Finding, Study
from tensordbg.analysis.warnings.study.training import gradients_of_variables
from tensordbg.analysis.warnings.study.trends import Trend, changed, trend
from tensordbg.analysis.warnings.study.words import from_to, listed, times
from tensordbg.operations.operation import Role
from tensordbg.operations.traits import Trait

_FACTOR = 1e3
"""At least so many times as large in the end."""

_STILL = 10.0
"""And so many times as large as in the middle, or ..."""

_HUGE = 1e6
"""... as large as this, where the growth had ended by then."""

_LEAST = 100.0
"""What stays below this may have grown out of nothing, as the weights of a bias do."""


def growing_values(study: Study) -> list[Finding]:
    """One finding for all that grows: the first in the data flow."""
    sizes = study.series.magnitude
    trends = {
        int(study.port[k]): found
        for k in changed(study, sizes, _FACTOR / 10)
        if (found := _grows(trend(study, sizes, k))) is not None and _counts(study, k)
    }
    if all(study.gradient[port] for port in trends):
        trends = _of_variables(study, trends)
    if not trends:
        return []
    lead, *others = first_of(study, sorted(trends))
    return [_finding(study, trends[lead], [trends[port].series for port in [*others, *sorted(trends)] if port != lead])]


def _of_variables(study: Study, trends: dict[int, Trend]) -> dict[int, Trend]:
    """Nothing, where no gradient of a variable grows.

    What grows inside of the backward pass alone, as 1/p in the gradient of a logarithm, the next factor may take back.
    """
    final = {int(study.port[k]) for found in gradients_of_variables(study).values() for k in found}
    return trends if not final.isdisjoint(trends) else {}


def _counts(study: Study, k: int) -> bool:
    """Whether it takes part in training: neither a counter nor what an optimizer keeps."""
    port = int(study.port[k])
    return bool(study.learning[port] or study.gradient[port]) or k in study.losses


def _grows(found: Trend | None) -> Trend | None:
    if found is None or found.ratio < _FACTOR or found.end < _LEAST:
        return None
    return found if found.end >= _STILL * found.middle or found.end >= _HUGE else None


def _finding(study: Study, found: Trend, others: list[int]) -> Finding:
    k = found.series
    what = "The variable " if int(study.port[k]) in study.variable_of else ""
    reason, suggestion = _reason(study, found)
    return Finding(
        kind="growing_values",
        series=k,
        explanation=(
            f"{what}{study.name(k)} grew {from_to(found.begin, found.end)} over {found.steps} steps, "
            f"{times(found.ratio)}; in the middle its largest magnitude was {number(found.middle)}."
            f"{reason}"
        ),
        suggestion=suggestion,
        evidence=found.evidence(),
        gravity=found.ratio,
        variable=study.variable_of.get(int(study.port[k]), -1),
        also=listed([study.name(other) for other in others]),
    )


def _reason(study: Study, found: Trend) -> tuple[str, str]:
    """Why it grew, as far as that is known, and the fix."""
    k = found.series
    if comes_in(study, int(study.port[k])):
        return GIVEN, study.fix(k, "growing_values", "given")
    if (divisor := _divisor(study, found)) is not None:
        name = study.name(divisor.series)
        shrank = f" It is divided by {name}, which shrank {from_to(divisor.begin, divisor.end)}."
        exponential = operation_of(study.site(divisor.series)).has(Trait.EXPONENTIAL)
        is_variable = int(study.port[divisor.series]) in study.variable_of
        known = "exponential" if exponential else "variable" if is_variable else ""
        return shrank, study.fix(k, "shrinking_divisor", known, name=name)
    loss = _unbounded_loss(study)
    known = "" if not study.gradient.any() else "training" if loss is None else "unbounded"
    return "" if loss is None else _falling(study, loss), study.fix(k, "growing_values", known)


def _divisor(study: Study, found: Trend) -> Trend | None:
    """What a quotient that grew is divided by, where that shrank by more than half of the orders of magnitude."""
    if operation_of(study.site(found.series)).operand(Role.DENOMINATOR) is None:
        return None
    parents = study.wiring.parents(int(study.port[found.series]))
    trends = [trend(study, study.series.magnitude, k) for port in parents for k in study.at.get(port, ())[:1]]
    return next((each for each in trends if each is not None and each.ratio**2 * found.ratio < 1), None)


def _unbounded_loss(study: Study) -> Loss | None:
    """A loss that training makes smaller and smaller below 0: it does what it is asked, and there is no end to it."""
    losses = differentiated(study, find_losses(study)) if study.gradient.any() else []
    return next((each for each in losses if _falls_without_end(each)), None)


def _falls_without_end(loss: Loss) -> bool:
    lowest = int(loss.values.argmin())
    return bool(loss.values[lowest] < -_FACTOR * max(1.0, loss.begin) and lowest >= len(loss.values) // 2)


def _falling(study: Study, loss: Loss) -> str:
    return (
        f" Training does what it is asked: the loss {study.name(loss.series)} falls, from {number(loss.values[0])} to "
        f"{number(loss.values.min())}, and nothing bounds it from below."
    )
