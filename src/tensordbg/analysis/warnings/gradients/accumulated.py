"""Gradients that are added up over all steps, as nothing sets them back: each step goes on where all before pointed.

Of several batches that are added up on purpose the first begins anew after each step of the optimizer.
"""

from __future__ import annotations

from collections.abc import Mapping

from tensordbg.analysis.program.held import noted_gradients
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.study import ENOUGH, Finding, Study
from tensordbg.analysis.warnings.study.words import listed
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind


def accumulated_gradients(study: Study) -> list[Finding]:
    """One finding for all variables whose gradient is never set back."""
    found = {v: k for v, several in _noted(study).items() if (k := _never_reset(study, several)) is not None}
    if not found:
        return []
    variables = sorted(found)
    k = found[variables[0]]
    names = [study.program.variables[variable].name for variable in variables]
    steps = int(study.series.lengths[k])
    more = f" and of {len(names) - 1} more variable{'s' * (len(names) > 2)}" if len(names) > 1 else ""
    explanation = (
        f"The gradient of {names[0]}{more} is never set back: each of the last {steps} steps adds its own to those of "
        "all steps before, and the optimizer follows the sum."
    )
    return [
        Finding(
            kind="accumulated_gradients",
            series=k,
            explanation=explanation,
            suggestion=study.fix(k, "accumulated_gradients"),
            evidence={"steps": steps, "variables": len(names)},
            gravity=float(len(names)),
            variable=variables[0],
            also=listed(names),
        )
    ]


def _noted(study: Study) -> Mapping[int, list[int]]:
    """By trained variable that something writes the series of the tensors that were its gradient."""
    return {
        variable: [k for ref in refs for k in study.at.get(study.ports.of(ref), [])[:1]]
        for variable, refs in noted_gradients(study.program).items()
        if study.is_trained(variable) and variable in study.writers
    }


def _never_reset(study: Study, gradients: list[int]) -> int | None:
    """The series of a sum that takes itself in each step, while no gradient begins anew; None where there is none."""
    for k in gradients:
        site = study.site(k)
        # Where a variable is used several times, autograd adds up what comes back from each use.
        is_sum = operation_of(site).kind is Kind.ADD and site.gradient_of == NONE
        if is_sum and study.series.lengths[k] >= ENOUGH and _adds_each_to_itself(study, k):
            return k
    return None


def _adds_each_to_itself(study: Study, k: int) -> bool:
    """Whether every new gradient is added to the sum of all before, itself or clipped, and that never set to zero."""
    port = int(study.port[k])
    parents = study.wiring.parents(port)
    itself = {port, *(each for each in parents if port in study.wiring.parents(each))}
    makers = [site for each in parents if (site := study.wiring.site(each)) is not None]
    if itself.isdisjoint(parents) or any(operation_of(site).kind is Kind.ZEROS_LIKE for site in makers):
        return False
    new = [other for each in parents if each not in itself for other in study.at.get(each, [])[:1]]
    return bool(new) and all(_as_often(study, k, other) for other in new)


def _as_often(study: Study, k: int, new: int) -> bool:
    """Whether a sum is added to as often as there is something new in each step but the first."""
    sums, others = study.series.rows(k), study.series.rows(new)
    steps, counts = study.series.step[sums][1:], study.series.turns[sums][1:]
    known = dict(zip(study.series.step[others].tolist(), study.series.turns[others].tolist(), strict=True))
    return all(known.get(step) == count for step, count in zip(steps.tolist(), counts.tolist(), strict=True))
