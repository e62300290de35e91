"""Units of a ReLU that are zero for every input, from some step on.

A dead unit has a gradient of exactly zero, and so has its bias. So the zeros in the gradient of a bias are units that
nothing came through in that step; where there are as many of them step after step, they are the same ones. Where the
elements of the activation were kept, they tell it exactly; a whole layer that is zero shows in its health alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.descent import nearest
from tensordbg.analysis.warnings.study.kept_units import dead_in_kept
from tensordbg.analysis.warnings.study.losses import Loss, find_losses, losses_of, part_left
from tensordbg.analysis.warnings.study.study import ENOUGH, Finding, Study
from tensordbg.analysis.warnings.study.training import gradients_of_variables
from tensordbg.analysis.warnings.study.weights import weights_of
from tensordbg.analysis.warnings.study.words import listed, share
from tensordbg.analysis.warnings.study.zeros import RELU, dead_layers, find_zeros
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Operation

_LOOKS = 20
"""The number of dead units is the least of so many last steps."""

_STEADY = 0.1
"""It varies by no more than this part."""

_NEWLY = 0.05
"""At least this part of the units must have died ..."""

_AT_ONCE = 0.8
"""... and this part of those in one step, as an update that is too large kills them; or ..."""

_MANY = 0.4
_MANY_UNITS = 8
"""... this part of the units be dead, and no fewer than this: of a narrow layer a third is dead from the beginning."""

_LEARNS = 0.3
"""Where no more than this part of the loss is left, the units that live are enough."""

_TO_BIAS = frozenset({Kind.CAST, Kind.IDENTITY, Kind.RESHAPE, Kind.SUM})
_FARTHEST = 50


def dead_units(study: Study) -> list[Finding]:
    """Layers that are dead as a whole, and those a good part of which is."""
    losses = find_losses(study)
    partly = [each for each in (*_partly(study), *_by_values(study)) if not _learns(study, losses, each)]
    found = {int(study.port[each.series]): each for each in (*partly, *_whole(study))}
    return _once(study, found)


def _once(study: Study, found: Mapping[int, Finding]) -> list[Finding]:
    """One finding for each layer, which may be called in several lines; the gravest is told."""
    told: list[tuple[frozenset[int], Finding]] = []
    for port, finding in sorted(found.items(), key=lambda item: -item[1].gravity):
        weights = weights_of(study, port)
        place = next((k for k, (others, _) in enumerate(told) if weights & others), len(told))
        if place == len(told):
            told.append((weights, finding))
        else:
            first, name = told[place][1], study.name(finding.series)
            also = [*first.also, *([name] if name != study.name(first.series) else [])]
            told[place] = weights, replace(first, also=listed(also))
    return [finding for _, finding in told]


def _learns(study: Study, losses: list[Loss], found: Finding) -> bool:
    return part_left(losses_of(study, losses, int(study.port[found.series]))) <= _LEARNS


def _whole(study: Study) -> Iterator[Finding]:
    """Layers that are zero throughout."""
    zeros = find_zeros(study)
    for k in dead_layers(study, zeros):
        row = int(study.series.starts[k + 1]) - int(zeros.run[k])
        yield _finding(study, k, row, 1.0, f"All of {study.name(k)} is zero for every input")


def _partly(study: Study) -> Iterator[Finding]:
    """Layers of which the gradient of the bias shows dead units."""
    for gradients in gradients_of_variables(study).values():
        for k in gradients:
            relu = _relu_before(study, int(study.port[k]))
            if relu != NONE:
                yield from _judge(study, k, relu)


def _judge(study: Study, k: int, relu: int) -> Iterator[Finding]:
    rows = study.series.rows(k)
    zeros, units = study.series.zero[rows], study.series.size[rows]
    last = zeros[-_LOOKS:]
    if len(zeros) < 2 * ENOUGH or (units != units[0]).any() or units[0] < 2 or last.min() < 1:
        return
    dead, varying = int(last.min()), int(last.max() - last.min())
    if varying > _STEADY * dead or not (_many(dead, int(units[0])) or _died_at_once(zeros, dead, int(units[0]))):
        return
    of_relu = study.series.rows(relu)
    if (study.series.zero[of_relu] * units[0] < dead * study.series.size[of_relu])[-_LOOKS:].any():
        return  # there are fewer zeros than dead units make: the gradient was lost behind the layer
    run = int(study.series.run(study.series.zero >= dead)[k])
    row = int(study.series.starts[relu + 1]) - min(run, int(study.series.lengths[relu]))
    part = float(dead / units[0])
    what = (
        f"{dead:,} of the {units[0]:,} units of {study.name(relu)} ({share(part)}) get a gradient of exactly zero in "
        "every step, as a unit does that is zero for every input"
    )
    yield _finding(study, relu, row, part, what)


def _many(dead: int, units: int) -> bool:
    return dead >= max(_MANY_UNITS, _MANY * units)


def _died_at_once(zeros: Ints, dead: int, units: int) -> bool:
    """Whether so many units died in the course of the recording that lived in all steps before."""
    newly = dead - int(zeros[:ENOUGH].max())
    if newly < max(1, _NEWLY * units):
        return False
    step = int(np.argmax(zeros >= dead))
    return bool(dead - zeros[:step].max() >= _AT_ONCE * newly)


def _by_values(study: Study) -> Iterator[Finding]:
    """Layers whose elements were kept."""
    for k in range(len(study.series)):
        enough = study.learning[study.port[k]] and study.series.lengths[k] >= ENOUGH
        if enough and operation_of(study.site(k)).kind in RELU:
            found = dead_in_kept(study, k)
            if found is not None and _many(int(found.dead.size), found.units):
                first = ", ".join(map(str, found.dead[:8].tolist()))
                more = " ..." if found.dead.size > 8 else ""
                what = (
                    f"{found.dead.size:,} of the {found.units:,} units of {study.name(k)} are zero for every input in "
                    f"the last {found.steps} steps: {first}{more}"
                )
                part = found.dead.size / found.units
                yield _finding(study, k, int(study.series.starts[k + 1]) - found.steps, part, what)


def _relu_before(study: Study, port: int) -> int:
    """The series of the ReLU whose gradient becomes that of a bias without more than sums; `NONE` if there is none."""
    seen = 0
    while seen < _FARTHEST:
        seen += 1
        site = study.wiring.site(port)
        if site is None or not _leads_to_bias(operation_of(site)):
            return NONE
        before = [each for each in study.wiring.parents(port) if study.gradient[each]]
        gradient = next((each for each in before if _is_of_relu(study, each)), NONE)
        if gradient != NONE:
            given = [each for each in study.wiring.parents(gradient) if not study.gradient[each]]
            return next((k for each in given for k in study.at.get(nearest(study, each), [])[:1]), NONE)
        if not before:
            return NONE
        port = before[0]
    return NONE


def _leads_to_bias(operation: Operation) -> bool:
    return operation.kind in _TO_BIAS or operation.gradient_of is Kind.ADD_BIAS


def _is_of_relu(study: Study, port: int) -> bool:
    site = study.wiring.site(port)
    return site is not None and operation_of(site).gradient_of in RELU


def _finding(study: Study, k: int, row: int, part: float, what: str) -> Finding:
    steps = int(study.series.starts[k + 1]) - row
    since = int(study.series.step[row])
    return Finding(
        kind="dead_units",
        series=k,
        explanation=f"{what}, since step {since}: {'it' if part == 1 else 'they'} can not learn any more.",
        suggestion=study.fix(k, "dead_units"),
        evidence={
            "steps": steps,
            "since_step": since,
            "share": part,
            "zeros": int(study.series.zero[-1 + row + steps]),
        },
        gravity=part,
    )
