"""From a trace to its warnings: applies the rules, and gathers what is shown of each finding."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from tensordbg.analysis.causes.overflow import OVERFLOWS
from tensordbg.analysis.columns.reading import TraceSource
from tensordbg.analysis.finding import NumericalWarning, Origin, TensorView
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.warnings.aftermath import without_aftermath
from tensordbg.analysis.warnings.layers.softmax_of_one import TRAINED_PAST
from tensordbg.analysis.warnings.study.losses import find_losses, losses_of
from tensordbg.analysis.warnings.study.series import READ_WHOLE
from tensordbg.analysis.warnings.study.study import Finding, Study, study
from tensordbg.analysis.warnings.table import TABLE
from tensordbg.model import NONE, TensorRef

_GROWS = frozenset({"growing_in_loop", "growing_values"})
_SAID_ALREADY = {"diverging_values": _GROWS, "shrinking_divisor": _GROWS}
"""Causes of origins that say what a warning would say; eager trainings that diverge look like iterations of a loop."""

_FOLLOWS = {
    "constant_loss": frozenset(
        {
            *("dead_units", "no_updates", "saturated_output", "softmax_of_one", "unchanged_variable"),
            *("without_gradient", "zero_gradient"),
        }
    ),
    "often_zero_gradient": frozenset({"dead_units", "softmax_of_one", "zero_gradient"}),
    "growing_in_loop": frozenset({"negated_loss"}),
    "growing_values": frozenset({"negated_loss", "no_log_probabilities"}),
    "rising_loss": frozenset({"growing_in_loop", "growing_values", "negated_loss"}),
    "saturated_output": frozenset({"outer_broadcast", "softmax_of_one"}),
    "shrinking_values": frozenset({"negated_loss"}),
    "unchanged_variable": frozenset({"softmax_of_one"}),
    "without_gradient": frozenset({"no_updates"}),
    "zero_gradient": frozenset({"softmax_of_one"}),
}
"""What follows from others: it is told only where these are not."""

_OF_OUTPUTS = frozenset({"saturated_output"})
"""They speak of what a model puts out, whatever its training goes through."""

_NO_GRADIENT = frozenset({"dead_units", "zero_gradient"})
_LITTLE_GRADIENT = frozenset({"saturated_activation", "shrinking_values"})


def find_warnings(trace: TraceSource, program: Program, origins: Sequence[Origin]) -> tuple[NumericalWarning, ...]:
    """Find what is wrong with the numbers of a trace although they are finite, the gravest first.

    Args:
        trace: The trace.
        program: What `read_program` gave.
        origins: Where anything that is not finite came from; what may have been made from it does not count.
    """
    grave = [origin for origin in origins if origin.consequential]
    seen = without_aftermath(study(trace, program, _end(trace, grave)), grave)
    said = frozenset[str]().union(*(_SAID_ALREADY.get(origin.cause, ()) for origin in grave))
    findings = [
        finding
        for kind, rule in TABLE.items()
        if kind not in said
        for finding in sorted(rule(seen), key=lambda finding: -finding.gravity)
    ]
    sign = seen.fix(0, "growing_values", "sign") if len(seen.series) else ""
    consequences = (_killed(seen, findings), _overflowed(seen, findings, grave), _behind_loop(seen, findings))
    told = [any(each) for each in zip(*consequences, strict=True)]
    warnings = _warnings(seen, findings)
    gone = [warning for warning, is_told in zip(warnings, told, strict=True) if is_told]
    return tuple(each for each in _once(warnings, sign) if each not in gone)


def _killed(seen: Study, findings: Sequence[Finding]) -> list[bool]:
    """For each finding whether it is a layer that died in the course of a training that diverges, which is told."""
    growing = [each for each in findings if each.kind == "growing_values"]
    losses = find_losses(seen) if growing else []

    def trained_for(finding: Finding) -> set[int]:
        return {loss.series for loss in losses_of(seen, losses, int(seen.port[finding.series]))}

    diverging = set[int]().union(*map(trained_for, growing))
    return [_died(each) and not diverging.isdisjoint(trained_for(each)) for each in findings]


def _overflowed(seen: Study, findings: Sequence[Finding], grave: Sequence[Origin]) -> list[bool]:
    """For each finding whether it is a growth that ended in an overflow, which is told with where the numbers grew."""
    overflows = [origin.view for origin in grave if origin.cause in OVERFLOWS]
    ports = [port for view in overflows if (port := seen.ports.of(TensorRef(view.site, view.slot))) != NONE]
    before = np.zeros(len(seen.ports.site), dtype=np.bool_)
    before[ports] = True
    before = seen.wiring.ancestors(before)
    return [each.kind in _GROWS and bool(before[seen.port[each.series]]) for each in findings]


def _behind_loop(seen: Study, findings: Sequence[Finding]) -> list[bool]:
    """For each finding whether it is a growth over the steps that begins where values grow in a loop of each step."""
    grown = np.zeros(len(seen.ports.site), dtype=np.bool_)
    grown[[int(seen.port[each.series]) for each in findings if each.kind == "growing_in_loop"]] = True
    grown = seen.wiring.descendants(grown)
    return [each.kind == "growing_values" and bool(grown[seen.port[each.series]]) for each in findings]


def _died(finding: Finding) -> bool:
    return finding.kind == "dead_units" and finding.evidence.get("since_step") != 0


def _end(trace: TraceSource, grave: Sequence[Origin]) -> int:
    """Up to where a trace is read: of a long one, of which only a part is, up to where a variable was ruined."""
    count = trace.count("tensors")
    if count <= READ_WHOLE:
        return count
    return min((origin.view.event for origin in grave if "variable" in origin.reaches), default=count)


def _once(warnings: Sequence[NumericalWarning], sign: str) -> list[NumericalWarning]:
    """Without those that follow from others, and that say of a line in other words what a graver one says of it."""
    told = {each.kind for each in warnings}
    training = {each.kind for each in warnings if not each.evidence.get(TRAINED_PAST)}
    warnings = [
        _with_sign(each, told, sign)
        for each in warnings
        if (told if each.kind in _OF_OUTPUTS else training).isdisjoint(_FOLLOWS.get(each.kind, ()))
    ]
    lines = {(each.source.file, each.source.line) for each in warnings if each.source and each.kind in _NO_GRADIENT}
    return [
        each
        for each in warnings
        if each.kind not in _LITTLE_GRADIENT or each.source is None or (each.source.file, each.source.line) not in lines
    ]


def _with_sign(warning: NumericalWarning, told: Collection[str], sign: str) -> NumericalWarning:
    """Values that grow while the loss rises from the first step on may do so for the sign of the update."""
    if warning.kind != "growing_values" or "rising_loss" not in told:
        return warning
    return replace(warning, suggestion=warning.suggestion + sign)


def _warnings(seen: Study, findings: Sequence[Finding]) -> list[NumericalWarning]:
    events = [_event(seen, finding) for finding in findings]
    views = Details(seen.trace, seen.program).views(events) if events else {}
    return [_warning(seen, finding, views[event]) for finding, event in zip(findings, events, strict=True)]


def _event(seen: Study, finding: Finding) -> int:
    if finding.event != NONE:
        return finding.event
    row = finding.row if finding.row != NONE else int(seen.series.starts[finding.series + 1]) - 1
    return int(seen.series.event[row])


def _warning(seen: Study, finding: Finding, view: TensorView) -> NumericalWarning:
    site = finding.site if finding.site != NONE else view.site
    source = seen.own_line(seen.program.sites[site])
    variable = seen.program.variables.get(finding.variable)
    return NumericalWarning(
        kind=finding.kind,
        view=view,
        variable="" if variable is None else variable.name,
        source=source,
        evidence=dict(finding.evidence),
        explanation=finding.explanation,
        suggestion=finding.suggestion,
        also=finding.also,
    )
