"""Gradients that are exactly zero in most steps: little of the data teaches anything.

Where the loss is zero in these steps nothing was left to learn. Where all gradients of a step are zero, half of the
steps are enough; of some variables only, as behind a ReLU or a clipping, it must be nearly all, and an operation
without a slope be the reason: parts of a model that are used in turns have such gradients, too.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.gradients.zero_gradient import first_zero
from tensordbg.analysis.warnings.study.forward import forward_of
from tensordbg.analysis.warnings.study.losses import Loss, find_losses
from tensordbg.analysis.warnings.study.study import Finding, Study
from tensordbg.analysis.warnings.study.training import gradients_of_variables
from tensordbg.analysis.warnings.study.words import listed, share
from tensordbg.analysis.warnings.study.zeros import Zeros
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind

_STEPS = 10
_OF_ALL = 0.5
_OF_SOME = 0.8
_RELU = (Kind.RELU, Kind.RELU6)
_WITHOUT_SLOPE = frozenset({Kind.CLIP, Kind.MAXIMUM, Kind.MINIMUM, *_RELU})


def often_zero_gradients(study: Study) -> list[Finding]:
    """One finding for each operation that lets no gradient through in most steps, the one for all variables first."""
    zero = (study.series.zero == study.series.size) & (study.series.size > 0)
    if not (zero & np.repeat(study.gradient[study.port], study.series.lengths)).any():
        return []
    part = np.add.reduceat(zero, study.series.starts[:-1], dtype=np.int64) / study.series.lengths
    often = Zeros(study.series.run(zero), (part >= _OF_ALL) & (study.series.lengths >= _STEPS))
    gradients = {v: found[0] for v, found in gradients_of_variables(study).items() if len(found) == 1}
    stuck = {v: k for v, k in gradients.items() if often.zero[k] and part[k] < 1 and zero_in(study, zero, k).any()}
    stuck = {v: k for v, k in stuck.items() if _loss_is_left(study, zero_in(study, zero, k), k)}
    all_of_them = len(stuck) == len(gradients) > 0
    found: dict[int, list[int]] = {}
    for variable, k in stuck.items():
        origin = first_zero(study, often, int(study.port[k]))
        if all_of_them or (part[k] >= _OF_SOME and _has_no_slope(study, origin)):
            found.setdefault(origin, []).append(variable)
    if all_of_them and found:
        origin = min(found, key=lambda port: (study.ports.site[port], port))
        found = {origin: list(stuck)}
    return [
        _finding(study, port, several, {v: float(part[k]) for v, k in stuck.items()}) for port, several in found.items()
    ]


def zero_in(study: Study, zero: Bools, k: int) -> Ints:
    """The steps in which a series is all zero."""
    rows = study.series.rows(k)
    return study.series.step[rows][zero[rows]]


def _loss_is_left(study: Study, steps: Ints, k: int) -> bool:
    """Whether in those steps a loss of the same function was not zero; true where none is known."""
    function = study.site(k).function
    losses = [loss for loss in find_losses(study) if study.site(loss.series).function == function]
    return not losses or any(_is_left(study, loss, steps) for loss in losses)


def _is_left(study: Study, loss: Loss, steps: Ints) -> bool:
    here = np.isin(study.series.step[study.series.rows(loss.series)], steps)
    return bool(here.any() and (loss.values[here] != 0).mean() > _OF_ALL)


def _has_no_slope(study: Study, port: int) -> bool:
    site = study.wiring.site(port)
    if site is None:
        return False
    forward = forward_of(study, site)
    without_slope = forward is not None and operation_of(forward).kind in _WITHOUT_SLOPE
    return without_slope or operation_of(site).gradient_of in _RELU


def _finding(study: Study, port: int, variables: list[int], part: dict[int, float]) -> Finding:
    k = study.at[port][0]
    steps = int(study.series.lengths[k])
    names = [study.program.variables[variable].name for variable in variables]
    forward = forward_of(study, study.site(k))
    more = f" and of {len(names) - 1} more variable{'s' * (len(names) > 2)}" if len(names) > 1 else ""
    least = min(part[variable] for variable in variables)
    return Finding(
        kind="often_zero_gradient",
        series=k,
        explanation=(
            f"The gradient of {names[0]}{more} is exactly zero in {share(least)} of {steps} steps: from "
            f"{study.name(k)} on, nothing of it comes through in most of them, although the loss is not zero."
        ),
        suggestion=study.fix(k, "often_zero_gradient"),
        evidence={"steps": steps, "share": least, "variables": len(names)},
        gravity=float(len(names)),
        variable=variables[0],
        site=forward.site if forward is not None else NONE,
        also=listed(names),
    )
