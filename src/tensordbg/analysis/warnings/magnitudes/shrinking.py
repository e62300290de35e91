"""Values that shrink by orders of magnitude while there is still something to learn.

Where training goes well the errors shrink, and all gradients with them. So a gradient that shrinks is worth a warning
where those of other variables do not, and an activation where the loss does not.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensordbg.analysis.warnings.gradients.zero_gradient import sums
from tensordbg.analysis.warnings.layers.saturation import before_saturation
from tensordbg.analysis.warnings.study.descent import first_of
from tensordbg.analysis.warnings.study.study import Finding, Study
from tensordbg.analysis.warnings.study.training import gradients_of_variables
from tensordbg.analysis.warnings.study.trends import Trend, changed, root_mean_square, trend
from tensordbg.analysis.warnings.study.words import from_to, listed

_FACTOR = 1e-3
"""In the end at most this part of what it was at the beginning."""

_STEADY = 0.1
"""What is still at least this part has not shrunk."""


def shrinking_values(study: Study) -> list[Finding]:
    """Weights and activations that shrink, and gradients that do so alone."""
    sizes = root_mean_square(study)
    found = {k: each for k in changed(study, sizes, _FACTOR * 10) if (each := trend(study, sizes, k)) is not None}
    shrunk = {int(study.port[k]): each for k, each in found.items() if each.ratio <= _FACTOR and each.end > 0}
    return _values(study, shrunk) or _gradients(study, shrunk)


def _values(study: Study, shrunk: dict[int, Trend]) -> list[Finding]:
    weights = [port for port in shrunk if study.trained_reads[port]]
    ports = list(weights)
    if not _loss_fell(study):
        made = study.from_trained
        series = study.series
        ports += [
            port
            for port, each in shrunk.items()
            if made[port] and study.learning[port] and port not in weights
            and series.size[series.starts[each.series]] > series.turns[series.starts[each.series]]
        ]  # fmt: skip
    if not ports:
        return []
    lead, *others = first_of(study, sorted(ports))
    return [
        _finding(study, shrunk[lead], [study.name(shrunk[port].series) for port in [*others, *ports] if port != lead])
    ]


def _loss_fell(study: Study) -> bool:
    sizes = study.series.magnitude
    trends = [trend(study, sizes, k) for k in study.losses]
    return any(each is not None and each.ratio < _STEADY for each in trends)


def _gradients(study: Study, shrunk: dict[int, Trend]) -> list[Finding]:
    """Gradients of variables that shrank although those of others did not."""
    if not any(study.gradient[port] for port in shrunk):
        return []
    sizes = root_mean_square(study)
    gradients = {k: v for v, found in gradients_of_variables(study).items() for k in found[:1]}
    trends = {k: each for k in gradients if (each := trend(study, sizes, k)) is not None}
    if not any(each.ratio >= _STEADY for each in trends.values()):
        return []
    saturated = before_saturation(study)
    blocked = {v for port, v in study.variable_of.items() if saturated[port]}
    gone = [
        int(study.port[k])
        for k, each in trends.items()
        if each.ratio <= _FACTOR
        and each.end > 0  # of those that are zero in the end other warnings tell
        and gradients[k] not in blocked
        and not _cancels(study, int(study.port[k]), shrunk)
    ]
    if not gone:
        return []
    lead = first_of(study, sorted(gone))[0]
    names = [study.program.variables[gradients[k]].name for k in trends if int(study.port[k]) in gone]
    return [_gradient(study, next(trends[k] for k in trends if int(study.port[k]) == lead), gradients, names)]


def _cancels(study: Study, port: int, shrunk: dict[int, Trend]) -> bool:
    """Whether a gradient is a sum of gradients that did not shrink: that of the last bias is, in the end."""
    summed = [each for each in study.wiring.parents(port) if study.gradient[each] and each in study.at]
    return sums(study, port) and bool(summed) and not any(each in shrunk for each in summed)


def _finding(study: Study, found: Trend, others: Sequence[str]) -> Finding:
    variable = study.variable_of.get(int(study.port[found.series]), -1)
    what = f"The weights {study.name(found.series)}" if variable >= 0 else study.name(found.series)
    return Finding(
        kind="shrinking_values",
        series=found.series,
        explanation=(
            f"{what} shrank {from_to(found.begin, found.end)} (root mean square) over {found.steps} steps"
            f"{'' if variable >= 0 else ', while the loss did not fall'}."
        ),
        suggestion=study.fix(found.series, "shrinking_values", "variable" if variable >= 0 else ""),
        evidence=found.evidence(),
        gravity=found.begin / found.end,
        variable=variable,
        also=listed(others),
    )


def _gradient(study: Study, found: Trend, gradients: dict[int, int], names: Sequence[str]) -> Finding:
    variable = gradients[found.series]
    name = study.program.variables[variable].name
    return Finding(
        kind="shrinking_values",
        series=found.series,
        explanation=(
            f"The gradient of {name} shrank {from_to(found.begin, found.end)} (root mean square) over {found.steps} "
            "steps, while gradients of other variables did not: this part of the model has all but stopped learning."
        ),
        suggestion=study.fix(found.series, "shrinking_values", "gradient"),
        evidence=found.evidence(),
        gravity=found.begin / found.end,
        variable=variable,
        also=listed([each for each in names if each != name]),
    )
