"""Trainable variables that never change while others do; those whose gradient is zero are another rule's."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from tensordbg.analysis.causes.case import number
from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.gradients.in_optimizers import ports_in_optimizers
from tensordbg.analysis.warnings.gradients.onlookers import without_onlookers
from tensordbg.analysis.warnings.study.cancelling import is_rounding
from tensordbg.analysis.warnings.study.study import ENOUGH, Finding, Study
from tensordbg.analysis.warnings.study.training import gradients_of_variables
from tensordbg.analysis.warnings.study.words import listed
from tensordbg.analysis.warnings.study.zeros import find_zeros
from tensordbg.operations.kinds import Kind

_HALF = frozenset({"float16", "bfloat16"})
"""Types that are wider ones' to keep variables in."""


def unchanged_variables(study: Study) -> list[Finding]:
    """One finding for all variables that nothing writes, and one for all that are written but stay as they are."""
    same, given = _same_as_first(study), ports_in_optimizers(study)
    reads: dict[int, list[int]] = {}
    for port, k in study.reads:
        variable = study.variable_of[port]
        if (study.trained_reads[port] or port in given) and study.program.variables[variable].trainable:
            reads.setdefault(variable, []).append(k)
    changed = [variable for variable, several in reads.items() if not all(same[k] for k in several)]
    if not changed:
        return []
    still = {
        variable: max(several, key=lambda k: int(study.series.lengths[k]))
        for variable, several in reads.items()
        if all(same[k] for k in several) and _steps(study, variable, several) >= ENOUGH
    }
    zeros = find_zeros(study)
    gradients = gradients_of_variables(study).items()
    stuck = {
        v
        for v, found in gradients
        if v in still
        and (all(zeros.zero[k] or is_rounding(study, k) for k in found) or _follows_zeros(study, still[v], found))
    }
    still = {v: k for v, k in still.items() if v not in stuck and _is_enough(study, v, k)}
    asked = {study.variable_of[port] for port in given}
    spare = [variable for variable in still if variable not in study.writers and variable not in asked]
    meant = {*spare} - {*without_onlookers(study, spare, changed)}
    unwritten = {v: k for v, k in still.items() if v not in study.writers and v not in meant}
    # What is written and has no gradient, where others have one, follows another variable, as an average does.
    trained = {v for v, found in gradients if found}
    written = {v: k for v, k in still.items() if v in study.writers and (v in trained or not trained)}
    groups = ({v: k for v, k in unwritten.items() if (v in asked) is given_one} for given_one in (True, False))
    return [each for group in (*groups, written) for each in _group(study, group, len(changed), asked)]


def _steps(study: Study, variable: int, reads: list[int]) -> int:
    """In how many steps a variable was seen to stay as it is; one that is known by its writes, by its gradients."""
    series = [*reads, *(gradients_of_variables(study).get(variable, []) if variable not in study.writers else [])]
    return max(int(study.series.lengths[k]) for k in series)


def _follows_zeros(study: Study, k: int, gradients: list[int]) -> bool:
    """Whether the latest gradient before each value of a variable is zero, though others are not.

    So it is with the last bias of a critic: its two losses cancel there, and what the other player's backward pass
    leaves in it is thrown away.
    """
    series = study.series
    rows = np.concatenate([np.arange(series.starts[each], series.starts[each + 1]) for each in gradients])
    order = rows[np.argsort(series.event[rows])]
    before = np.searchsorted(series.event[order], series.event[series.rows(k)]) - 1
    latest = order[before[before >= 0]]
    return len(latest) >= ENOUGH and bool((series.zero[latest] == series.size[latest]).all())


def _is_enough(study: Study, variable: int, k: int) -> bool:
    """A single number that nothing writes is a setting, such as a scale or a temperature."""
    return study.series.size[study.series.starts[k]] > 1 or variable in study.writers


def _same_as_first(study: Study) -> Bools:
    """For each series whether its statistics are the same in all steps."""
    series = study.series
    if not len(series):
        return np.zeros(0, dtype=np.bool_)
    first = np.repeat(series.starts[:-1], series.lengths)
    same = np.ones(len(first), dtype=np.bool_)
    for column in (series.low, series.high, series.total, series.squares, series.zero):
        same &= column == column[first]
    return np.logical_and.reduceat(same, series.starts[:-1])


def _group(study: Study, still: dict[int, int], others: int, asked: Collection[int]) -> list[Finding]:
    if not still:
        return []
    variable, k = min(still.items(), key=lambda pair: int(study.series.site[pair[1]]))
    ordered = [variable, *(each for each in still if each != variable)]
    names = [study.program.variables[each].name for each in ordered]
    explanation, known = _reason(study, variable, k, asked)
    steps = _steps(study, variable, [k])
    return [
        Finding(
            kind="unchanged_variable",
            series=k,
            explanation=(
                f"{_some(names)} held the same values in all {steps} "
                f"steps, while {others} other trainable variable{'s' * (others > 1)} changed: {explanation}"
            ),
            suggestion=study.fix(k, "unchanged_variable", known),
            evidence={"steps": steps, "unchanged": len(names), "changed": others},
            gravity=float(len(names)),
            variable=variable,
            also=listed(names),
        )
    ]


def _some(names: list[str]) -> str:
    more = len(names) - 1
    return f"{names[0]} and {more} more variable{'s' * (more > 1)}" if more else names[0]


def _reason(study: Study, variable: int, k: int, asked: Collection[int]) -> tuple[str, str]:
    if variable not in study.writers and variable in asked:
        return "an optimizer was given it, but the loss is cut from it, so that no gradient ever comes to it.", "cut"
    if variable not in study.writers:
        return "it is trainable, but no operation of the recorded steps writes it.", "unwritten"
    update = _update(study, variable)
    if update == 0:
        return "it is written, but with what it held already.", "no_effect"
    size = float(study.series.magnitude[study.series.starts[k + 1] - 1])
    lost = (
        f"it is written, with updates of up to {number(update)}, which are lost in the rounding of "
        f"{study.words[0][k]} next to values of up to {number(size)}."
    )
    return lost, "rounded" if study.words[0][k] in _HALF else "vanishing"


def _update(study: Study, variable: int) -> float:
    """The largest magnitude of what is added to a variable, or of its gradient where that was not recorded."""
    magnitude = study.series.magnitude
    taken = [
        k
        for site in study.writers[variable]
        if operation_of(site).kind in (Kind.ASSIGN_ADD, Kind.ASSIGN_SUBTRACT)
        for port in study.wiring.parents(int(study.ports.first[site.site]))
        for k in study.at.get(port, [])
    ]
    taken = taken or gradients_of_variables(study).get(variable, [])
    return max((float(magnitude[study.series.rows(k)].max()) for k in taken), default=0.0)
