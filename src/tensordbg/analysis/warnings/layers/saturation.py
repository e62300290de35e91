"""Activations at their limits: nearly every element of a sigmoid, a tanh, a softmax or a clipped value is at an end.

For numbers x from a to b the mean of (x - a)(b - x), next to its largest possible value, says how much room is left; it
follows from the sum and the sum of squares. A softmax is at its limits where the squares sum up to as much as the
numbers themselves. Sigmoids and softmaxes that a program writes out of exponentials and a division count too. What
gives the probabilities in the end may be as sure as it likes once the loss is small; where it stays large, the targets
may lie outside of the range, or the output was at its end before it could learn.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.causes.case import number
from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.descent import made_of
from tensordbg.analysis.warnings.study.losses import Loss, find_losses, losses_of, part_left
from tensordbg.analysis.warnings.study.series import Floats, Series
from tensordbg.analysis.warnings.study.study import ENOUGH, Finding, Study
from tensordbg.analysis.warnings.study.words import listed, share
from tensordbg.analysis.warnings.study.written import kind_at
from tensordbg.operations.kinds import Kind

_RANGES = {Kind.TANH: (-1.0, 1.0), Kind.SIGMOID: (0.0, 1.0), Kind.RELU6: (0.0, 6.0)}
_ROOM = 0.03
"""At most this part of the slope that there could be is left."""

_PART = 0.25
"""In at least this part of the steps, the last ones."""

_WEIGHTED = (Kind.CONVOLUTION, Kind.EINSUM, Kind.MATMUL)
"""They multiply with weights."""

_LEARNED = 0.1
"""Where no more than this part of the loss is left, nothing keeps the model from learning."""

_OUTPUT_LEARNED = 0.3
_SMALL = 0.05
"""An output does its work where no more than this part of a loss is left, or no more than this at all."""


def saturated_activations(study: Study) -> list[Finding]:
    """The activations inside of a model that are saturated in the end; of those behind one another the first."""
    room = _room(study)
    run = study.series.run(room <= _ROOM)
    found = _saturated(study, run)
    behind = made_of(study, [int(study.port[k]) for k in found])
    first = [k for k in found if not behind[study.port[k]]] or found[:1]
    followers = [study.name(k) for k in found if k not in first]
    return [_finding(study, k, int(run[k]), room, followers) for k in first]


def saturated_outputs(study: Study) -> list[Finding]:
    """The activations at the end of a model that are saturated although the loss stays large."""
    room = _room(study)
    run = study.series.run(room <= _ROOM)
    hidden = _hidden(study)
    found = [k for k in _at_limits(study, run) if not hidden[study.port[k]]]
    losses = find_losses(study) if found else []
    return [
        _output_finding(study, k, int(run[k]), room, large[0])
        for k in found
        if (large := _large(losses_of(study, losses, int(study.port[k]))))
    ]


def _large(losses: list[Loss]) -> list[Loss]:
    """The losses of an output where all of them stay large."""
    enough = all(loss.left > _OUTPUT_LEARNED and loss.end > _SMALL for loss in losses)
    return losses if enough else []


def before_saturation(study: Study) -> Bools:
    """For each port whether it goes into a saturated activation, so that hardly any gradient comes back to it."""
    marks = np.zeros(len(study.ports.site), dtype=np.bool_)
    marks[study.port[_at_limits(study, study.series.run(_room(study) <= _ROOM))]] = True
    return study.wiring.ancestors(marks)


def _saturated(study: Study, run: Ints) -> list[int]:
    found = _at_limits(study, run)
    if not found:
        return []
    hidden, losses = _hidden(study), find_losses(study)
    inside = [k for k in found if hidden[study.port[k]]]
    return [k for k in inside if part_left(losses_of(study, losses, int(study.port[k]))) > _LEARNED]


def _at_limits(study: Study, run: Ints) -> list[int]:
    enough = (run >= ENOUGH) & (run >= _PART * study.series.lengths)
    return [k for k in np.flatnonzero(enough).tolist() if study.learning[study.port[k]]]


def _room(study: Study) -> Floats:
    """For each row how much room is left between the limits: 1 where all of it is; NaN for other operations."""
    result = np.full(len(study.series.step), np.nan)
    for k in range(len(study.series)):
        if kind_at(study, int(study.port[k])) is Kind.SOFTMAX:
            result[study.series.rows(k)] = _room_of_softmax(study.series, k)
        elif (limits := limits_of(study, k)) is not None:
            result[study.series.rows(k)] = _room_between(study.series, k, *limits)
    return result


def _room_of_softmax(series: Series, k: int) -> Floats:
    rows = series.rows(k)
    with np.errstate(divide="ignore", invalid="ignore"):
        left = 1 - series.squares[rows] / series.total[rows]
    return np.where(series.high[rows] > series.low[rows], left, np.nan)


def _room_between(series: Series, k: int, low: float, high: float) -> Floats:
    rows = series.rows(k)
    count, total, squares = series.size[rows], series.total[rows], series.squares[rows]
    with np.errstate(divide="ignore", invalid="ignore"):
        left = (((low + high) * total - squares) / count - low * high) / ((high - low) / 2) ** 2
    # An activation that is zero throughout is dead, which is another trouble.
    return np.where((low == 0.0) & (series.high[rows] < high / 2), np.nan, left)


def limits_of(study: Study, k: int) -> tuple[float, float] | None:
    """The range of an activation: by its kind, written out or not, or by the constants that it is clipped to."""
    kind = kind_at(study, int(study.port[k]))
    if kind in _RANGES:
        return _RANGES[kind]
    if kind is not Kind.MAXIMUM:
        return None
    low, inside = _clipped(study, int(study.port[k]), Kind.MAXIMUM)
    high, _ = _clipped(study, inside, Kind.MINIMUM)
    return (low, high) if low < high else None


def _clipped(study: Study, port: int, kind: Kind) -> tuple[float, int]:
    """The constant in a maximum or minimum, NaN where there is none, and the port of what is compared with it."""
    site = study.wiring.site(port)
    parents = study.wiring.parents(port)
    if site is None or operation_of(site).kind is not kind or len(parents) != 2:
        return np.nan, port
    constant, inside = sorted(parents, key=lambda each: not _is_constant(study, each))
    series = study.at.get(constant, [])
    if not _is_constant(study, constant) or not series:
        return np.nan, port
    return float(study.series.high[study.series.starts[series[0]]]), inside


def _is_constant(study: Study, port: int) -> bool:
    site = study.wiring.site(port)
    return site is not None and operation_of(site).kind is Kind.CONSTANT


def _hidden(study: Study) -> Bools:
    """For each port whether weights are applied to what is made of it."""
    marks = np.zeros(len(study.ports.site), dtype=np.bool_)
    for site in study.program.sites.values():
        if operation_of(site).kind in _WEIGHTED:
            first = int(study.ports.first[site.site])
            marks[first] = study.learning[first]
    return study.wiring.ancestors(marks)


def _finding(study: Study, k: int, run: int, room: Floats, followers: list[str]) -> Finding:
    left = _slope_left(study, k, room)
    kind = kind_at(study, int(study.port[k]))
    return Finding(
        kind="saturated_activation",
        series=k,
        explanation=(
            f"Nearly all of {study.name(k)} is at the limits {_limits(study, k)} in the last {run} steps: only "
            f"{share(left)} of the slope that it can have is left, so hardly any gradient comes through."
        ),
        suggestion=study.fix(k, "saturated_activation", "softmax" if kind is Kind.SOFTMAX else ""),
        evidence={"steps": run, "slope_left": left, **_ends(study, k)},
        gravity=1.0 - left,
        also=listed(followers),
    )


def _output_finding(study: Study, k: int, run: int, room: Floats, loss: Loss) -> Finding:
    left = _slope_left(study, k, room)
    return Finding(
        kind="saturated_output",
        series=k,
        explanation=(
            f"Nearly all of {study.name(k)}, which ends the model, is at the limits {_limits(study, k)} in the last "
            f"{run} steps, while {study.name(loss.series)}, {number(loss.begin)} at first, is still {number(loss.end)}."
        ),
        suggestion=study.fix(k, "saturated_output"),
        evidence={
            "steps": run,
            "slope_left": left,
            "loss_at_first": loss.begin,
            "loss": loss.end,
            **_ends(study, k),
        },
        gravity=1.0 - left,
    )


def _slope_left(study: Study, k: int, room: Floats) -> float:
    return max(0.0, float(room[study.series.starts[k + 1] - 1]))


def _limits(study: Study, k: int) -> str:
    return " and ".join(f"{limit:g}" for limit in limits_of(study, k) or (0.0, 1.0))


def _ends(study: Study, k: int) -> dict[str, float]:
    last = int(study.series.starts[k + 1]) - 1
    return {"min": float(study.series.low[last]), "max": float(study.series.high[last])}
