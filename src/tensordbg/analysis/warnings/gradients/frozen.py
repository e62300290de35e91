"""Nothing of a model that is fitted is to be trained: each of its layers is frozen, so step after step changes nothing.

Without anything to train there is no gradient either. That the steps are meant to train is known by the framework's own
step of training, in which the model was run.
"""

from __future__ import annotations

from tensordbg.analysis.warnings.study.study import ENOUGH, Finding, Study
from tensordbg.analysis.warnings.study.words import listed
from tensordbg.model import Site
from tensordbg.packages import KERAS, is_part_of

_STEP = "train_step"
"""The function of the framework in which it trains; what the program puts in its place may train otherwise."""


def frozen_models(study: Study) -> list[Finding]:
    """One finding, where a step that is to train reads no variable that is, and all that it reads stays as it is."""
    found = [(port, k) for port, k in study.reads if _trains(study, study.site(k))]
    if any(study.is_trained(study.variable_of[port]) for port, k in found if _is_weight(study, k)):
        return []
    weights = {study.variable_of[port]: k for port, k in found if _is_weight(study, k)}
    steps = min((int(study.series.lengths[k]) for k in weights.values()), default=0)
    if steps < ENOUGH or any(_changes(study, k) for k in weights.values()):
        return []
    names = [study.program.variables[each].name for each in weights]
    more = f" and {len(names) - 1} more variable{'s' * (len(names) > 2)}" if len(names) > 1 else ""
    first = next(iter(weights))
    return [
        Finding(
            kind="no_updates",
            series=weights[first],
            explanation=f"{names[0]}{more}, all that the model computes with, stayed the same in all {steps} steps of "
            f"its training: none of its variables is trainable.",
            suggestion=study.fix(weights[first], "no_updates", "frozen"),
            evidence={"steps": steps, "variables": len(names), "reason": "frozen"},
            gravity=float(steps),
            variable=first,
            also=listed(names),
        )
    ]


def _trains(study: Study, site: Site) -> bool:
    frames = study.program.stacks.get(site.stack, ())
    return any(each.function == _STEP and not each.user and is_part_of(each.file, KERAS) for each in frames)


def _is_weight(study: Study, k: int) -> bool:
    """Whether it has several elements: totals of metrics, rates and counts of steps have one."""
    return bool(study.series.size[study.series.starts[k]] > 1)


def _changes(study: Study, k: int) -> bool:
    rows = study.series.rows(k)
    columns = (getattr(study.series, name)[rows] for name in ("low", "high", "total", "squares", "zero"))
    return any((column != column[0]).any() for column in columns)
