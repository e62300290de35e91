"""A softmax over one element is 1 whatever goes in: nothing can be learned through it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.descent import nearest
from tensordbg.analysis.warnings.study.study import ENOUGH, Finding, Study
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind

_RESULT = {Kind.SOFTMAX: 1.0, Kind.LOG_SOFTMAX: 0.0}
"""What each gives of one element."""

TRAINED_PAST = "trained_past"
"""In the evidence: 1 where the training does not go through the softmax, so that nothing there follows from it."""

_ROUNDING = 1 / 64
"""So far from that it may be: the runtime divides by an estimate, which gives 0.99999994; bfloat16 has eight bits."""

_WITH_LOSS = frozenset({Kind.SOFTMAX_LOSS, Kind.SPARSE_SOFTMAX_LOSS})


def softmaxes_of_one(study: Study) -> list[Finding]:
    """One finding for each softmax whose last axis has a length of 1."""
    series = study.series
    found = {}
    for k in np.flatnonzero(series.lengths >= ENOUGH).tolist():
        site = study.site(k)
        if operation_of(site).kind in _RESULT and study.forward[study.port[k]]:
            if _is_one(study, k) and _always(study, k, _RESULT[operation_of(site).kind]).all():
                found[site.site] = k
        elif operation_of(site).kind in _WITH_LOSS and not series.slot[k] and study.forward[study.port[k]]:
            logits = nearest(study, next(iter(study.wiring.parents(int(study.port[k]))), int(study.port[k])))
            if any(_is_one(study, each) for each in study.at.get(logits, [])) and _always(study, k, 0.0).all():
                found[site.site] = k
    left_out = {site.site: k for site, k in _left_out(study) if site.site not in found}
    return [
        *(_finding(study, k, study.site(k)) for k in found.values()),
        *(_finding(study, k, study.program.sites[number]) for number, k in left_out.items()),
    ]


def _left_out(study: Study) -> Iterator[tuple[Site, int]]:
    """Softmaxes that did not run, as nothing asks for what they give but predictions, each with what it is given."""
    for site in study.program.sites.values():
        if site.function == NONE or operation_of(site).kind not in _RESULT:
            continue
        port = int(study.ports.first[site.site])
        if port in study.at or study.gradient[port]:
            continue
        given = [nearest(study, each) for each in study.wiring.parents(port)]
        series = [k for each in given for k in study.at.get(each, []) if study.forward[each]]
        yield from [(site, k) for k in series if study.series.lengths[k] >= ENOUGH and _is_one(study, k)][:1]


def _is_one(study: Study, k: int) -> bool:
    """Whether the last axis has a length of 1, and there are others."""
    shape = json.loads(study.words[1][k] or "null")
    return bool(shape) and shape[-1] == 1


def _leads_to_gradients(study: Study, k: int) -> bool:
    """Whether a gradient is computed from what a softmax gives."""
    marks = np.zeros(len(study.ports.site), dtype=np.bool_)
    marks[study.port[k]] = True
    return bool((study.wiring.descendants(marks) & study.gradient).any())


def _always(study: Study, k: int, value: float) -> Bools:
    """In which steps it is a value, but for rounding."""
    rows = study.series.rows(k)
    low, high = study.series.low[rows], study.series.high[rows]
    result: Bools = (np.abs(low - value) <= _ROUNDING) & (np.abs(high - value) <= _ROUNDING)
    return result


def _known(shape: list[int]) -> str:
    """`axis` where another axis than that of the examples may be meant, as in a softmax over positions."""
    return "axis" if any(length > 1 for length in shape[1:]) else ""


def _finding(study: Study, k: int, site: Site) -> Finding:
    shape, steps = study.words[1][k], int(study.series.lengths[k])
    is_left_out = site.site != study.site(k).site
    trains = bool(study.gradient.any()) and (is_left_out or not _leads_to_gradients(study, k))
    with_loss = operation_of(site).kind in _WITH_LOSS
    what = "is 0 for every label that there is" if with_loss else "is a constant, whatever goes in"
    return Finding(
        kind="softmax_of_one",
        series=k,
        explanation=(
            f"{site.op_type} of one class: the axis over which {site.name}:0 of shape {shape} is computed has a "
            f"length of 1, so it {what}, in all {steps} steps, "
            + (
                "and so are predictions and metrics made of it; the training does not go through it, as Keras "
                "computes the loss from the logits that it has kept."
                if trains
                else "and lets no gradient through."
            )
        ),
        suggestion=study.fix(k, "softmax_of_one", "" if with_loss else _known(json.loads(shape or "[]"))),
        evidence={"steps": steps, "axis_length": 1, TRAINED_PAST: int(trains)},
        gravity=float(steps),
    )
