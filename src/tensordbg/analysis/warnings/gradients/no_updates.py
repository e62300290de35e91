"""All that is trained stays as it is, although gradients come to it: nothing of them is put into the weights.

The rate is zero, from the beginning or since a schedule took it there, the gradients are set back before the step, or
the optimizer was made for other tensors than those that the model computes with. Or nothing is to be trained at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.causes.case import HALF
from tensordbg.analysis.warnings.gradients.frozen import frozen_models
from tensordbg.analysis.warnings.gradients.without_gradient import noted_without
from tensordbg.analysis.warnings.study.study import ENOUGH, Finding, Study
from tensordbg.analysis.warnings.study.training import gradients_of_variables
from tensordbg.analysis.warnings.study.words import listed
from tensordbg.model import NONE, Site
from tensordbg.operations.lookup import is_in_place

_PART = 0.5
"""For so many of all steps nothing must have changed: a schedule may end at zero."""

_NOTICEABLE = 1e-3
"""In what has changed before, a gradient of this part of the weights is not merely lost in rounding at the end."""

_NEVER = -1
_REASONS = {
    "others": "no operation of the recorded steps writes it, so no optimizer that took a step has it.",
    "rate": "it is written with what it held already, so the rate is zero or next to it, or the gradients are gone "
    "by the time of the step.",
    "rounded": "it is written with what it held already, so the rate is zero, or the updates are so small next to the "
    "weights that the rounding to their type takes them away.",
    "set_back": "by the time at which the optimizer takes its step, they are gone.",
}


@dataclass(frozen=True)
class _Still:
    """Variables that don't change."""

    variables: Sequence[int]
    series: int
    same: int
    """In so many of the last steps."""
    steps: int
    reason: str


def no_updates(study: Study) -> list[Finding]:
    """One finding, where gradients come to what is trained and nothing of it changes any more."""
    reads = _reads(study)
    gradients = {v: found[0] for v, found in gradients_of_variables(study).items() if v in reads}
    unknown = [v for v in study.writers if v in reads and v not in gradients]
    if not gradients and not unknown:
        return frozen_models(study)
    if unknown:  # it may be all that is to be trained
        return []
    written = sorted(v for v in gradients if v in study.writers)
    still = _written(study, written, reads, gradients) if written else _unwritten(study, gradients)
    return [] if still is None else [_finding(study, still)]


def _reads(study: Study) -> dict[int, int]:
    """For each trained variable of several elements the longest series of what it held, of those in which it changes.

    What only looks at a model, as a validation or an attack on it does, may read it more often than what trains it.
    """
    found: dict[int, tuple[tuple[bool, int], int]] = {}
    for port, k in study.reads:
        variable = study.variable_of[port]
        known = study.program.variables.get(variable)
        if known is None or not known.trainable or not study.series.size[study.series.starts[k]] > 1:
            continue
        place = (_last_change(study, k) != _NEVER, int(study.series.lengths[k]))
        if variable not in found or found[variable][0] < place:
            found[variable] = place, k
    return {variable: k for variable, (_, k) in found.items()}


def _unwritten(study: Study, gradients: Mapping[int, int]) -> _Still | None:
    """Variables that nothing writes, while gradients come to them in step after step."""
    variables = sorted(gradients)
    shapes = _written_into_arguments(study)
    if all(study.program.variables[each].shape in shapes for each in variables):
        return None  # a compiled step may write them
    k = max(gradients.values(), key=lambda k: int(study.series.lengths[k]))
    steps = int(study.series.lengths[k])
    if steps < ENOUGH or not any(_size(study, each, _NEVER) > 0 for each in gradients.values()):
        return None
    return _Still(variables, k, steps, steps, "set_back" if set(variables) <= noted_without(study).keys() else "others")


def _written_into_arguments(study: Study) -> set[str]:
    """The shapes of what graphs write into their arguments: which variables these are is not told of a graph."""
    sites = study.program.sites
    writing = {
        site.site
        for site in sites.values()
        if site.function != NONE and is_in_place(site.op_type) and _is_argument(study, site)
    }
    return {study.words[1][k] for k, site in enumerate(study.series.site.tolist()) if site in writing}


def _is_argument(study: Study, site: Site) -> bool:
    """Whether an operation writes into an argument of its graph."""
    written = next(iter(study.program.inputs_of(site.site)), None)
    maker = None if written is None else study.program.sites.get(written.site)
    return maker is not None and maker.argument >= 0


def _written(
    study: Study, written: Sequence[int], reads: Mapping[int, int], gradients: Mapping[int, int]
) -> _Still | None:
    """Variables that are written with what they held already."""
    changed = max(_last_change(study, reads[each]) for each in written)
    steps = max((study.series.step[study.series.rows(gradients[each])] for each in written), key=len)
    same, count = int((steps >= changed).sum()), len(steps)  # what a step writes is what the next one reads
    if same < max(ENOUGH, _PART * count):
        return None
    least = 0.0 if changed == _NEVER else _NOTICEABLE
    if not any(_size(study, gradients[v], changed) > least * _size(study, reads[v], changed) for v in written):
        return None
    half = all(study.words[0][reads[each]] in HALF for each in written)
    return _Still(written, reads[written[0]], same, count, "rounded" if half else "rate")


def _last_change(study: Study, k: int) -> int:
    """The last step in which a tensor differed from what it was before; -1 where it never did."""
    rows = study.series.rows(k)
    differs = np.zeros(rows.stop - rows.start, dtype=np.bool_)
    for name in ("low", "high", "total", "squares", "zero"):
        column = getattr(study.series, name)[rows]
        differs[1:] |= column[1:] != column[:-1]
    return int(study.series.step[rows][differs].max(initial=_NEVER))


def _size(study: Study, k: int, since: int) -> float:
    """The median magnitude of a tensor in the steps after one; 0 where it was in none of them."""
    rows = study.series.rows(k)
    late = study.series.magnitude[rows][study.series.step[rows] > since]
    return float(np.median(late)) if len(late) else 0.0


def _finding(study: Study, still: _Still) -> Finding:
    names = [study.program.variables[each].name for each in still.variables]
    more = f" and {len(names) - 1} more variable{'s' * (len(names) > 2)}" if len(names) > 1 else ""
    how_long = "all" if still.same == still.steps else "the last"
    return Finding(
        kind="no_updates",
        series=still.series,
        explanation=f"{names[0]}{more}, all that gets gradients, stayed the same in {how_long} {still.same} steps, "
        f"although the gradients are not zero: {_REASONS[still.reason]}",
        suggestion=study.fix(still.series, "no_updates", still.reason),
        evidence={"steps": still.same, "variables": len(names), "reason": still.reason},
        gravity=float(still.same),
        variable=still.variables[0],
        also=listed(names),
    )
