"""The loss and the learning rate over the steps, thinned out where there are more steps than can be drawn."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.warnings.study.losses import differentiated, find_losses
from tensordbg.analysis.warnings.study.study import Study
from tensordbg.operations.setting_names import optimizer_settings
from tensordbg.trace.program.optimizers import OptimizerSettings

_MOST_LOSSES = 3
_MOST_RATES = 2
_POINTS = 300
_RATE = re.compile(r"(^|[/._])(learning_rate|lr)\d*(:\d+)?$")


@dataclass(frozen=True)
class ProgressLine:
    """A number over the steps."""

    what: str
    """`loss` or `learning_rate`."""
    name: str
    steps: tuple[int, ...]
    values: tuple[float, ...]
    events: tuple[int, ...]
    """Empty for what no tensor holds."""


def find_lines(study: Study, optimizers: Sequence[OptimizerSettings] = ()) -> tuple[ProgressLine, ...]:
    """The losses that are trained on, longest first, and the learning rates that variables hold, or optimizers."""
    kept = sorted(_losses(study), key=lambda k: -int(study.series.lengths[k]))
    found = [_line(study, "loss", k) for k in kept[:_MOST_LOSSES]]
    rates: dict[int, int] = {}
    for port, k in study.reads:
        number = study.variable_of[port]
        variable = study.program.variables.get(number)
        if variable is not None and _RATE.search(variable.name) and study.series.size[study.series.starts[k]] == 1:
            longest = rates.get(number, k)
            rates[number] = max(longest, k, key=lambda each: int(study.series.lengths[each]))
    held = [_line(study, "learning_rate", k) for k in list(rates.values())[:_MOST_RATES]]
    # Behind the last loss nothing is trained any more.
    last = max((line.steps[-1] for line in found if line.steps), default=int(study.series.step.max(initial=0)))
    return (*found, *(held or list(_set_rates(optimizers, last))[:_MOST_RATES]))


def _set_rates(optimizers: Sequence[OptimizerSettings], last: int) -> Iterator[ProgressLine]:
    """The learning rates to which optimizers were set, each until it was set to the next."""
    groups: dict[tuple[int, int, str], list[tuple[int, float]]] = {}
    for each in optimizers:
        rate = optimizer_settings(each.settings).get("learning rate")
        if isinstance(rate, (int, float)) and math.isfinite(rate):
            groups.setdefault((each.optimizer, each.group, each.kind), []).append((each.step, float(rate)))
    for (_, group, kind), rates in groups.items():
        corners = list(_as_steps(rates, last))
        steps, values = zip(*(corners[place] for place in _few_of(len(corners)).tolist()), strict=True)
        yield ProgressLine("learning_rate", f"{kind}, group {group}" if group else kind, steps, values, ())


def _as_steps(rates: Sequence[tuple[int, float]], last: int) -> Iterator[tuple[int, float]]:
    """Corners of a line that goes on level until the step before the next value."""
    for (step, rate), (following, _) in zip(rates, (*rates[1:], (last + 1, 0.0)), strict=True):
        yield step, rate
        if following - 1 > step:
            yield following - 1, rate


def _few_of(count: int) -> Ints:
    """The places of as many points of a line as can be drawn, from the first to the last."""
    return np.arange(count) if count <= _POINTS else np.unique(np.linspace(0, count - 1, _POINTS).astype(np.int64))


def _losses(study: Study) -> list[int]:
    """The numbers that the program takes gradients of; where it does not tell, those that end a forward pass."""
    noted = [k for port in np.flatnonzero(study.differentiated).tolist() for k in study.at.get(port, ())[:1]]
    single = [k for k in noted if study.words[1][k] == "[]"]
    if single:
        return single
    losses = find_losses(study)
    return list(dict.fromkeys(loss.series for loss in differentiated(study, losses) or losses))


def _line(study: Study, what: str, k: int) -> ProgressLine:
    series = study.series
    rows = np.arange(series.starts[k], series.starts[k + 1])
    rows = rows[np.isfinite(series.total[rows])]
    rows = rows[_few_of(len(rows))]
    # Of the iterations of a loop their mean.
    values = series.total[rows] / np.maximum(series.size[rows], 1)
    return ProgressLine(
        what,
        study.name(k),
        tuple(series.step[rows].tolist()),
        tuple(values.tolist()),
        tuple(series.event[rows].tolist()),
    )
