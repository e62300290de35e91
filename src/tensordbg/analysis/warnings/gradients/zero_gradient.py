"""Gradients of variables that are all zero: the walk goes back to the operation from which on they are."""

from __future__ import annotations

from collections.abc import Collection

from tensordbg.advice.lookup import title
from tensordbg.analysis.causes.case import number
from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.program.operations import named
from tensordbg.analysis.warnings.layers.saturation import saturated_outputs
from tensordbg.analysis.warnings.study.descent import made_of, nearest
from tensordbg.analysis.warnings.study.forward import forward_of
from tensordbg.analysis.warnings.study.study import Finding, Study
from tensordbg.analysis.warnings.study.training import gradients_of_variables
from tensordbg.analysis.warnings.study.words import listed
from tensordbg.analysis.warnings.study.zeros import Zeros, dead_layers, find_zeros
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind

_FARTHEST = 3000

_ZEROS = frozenset({Kind.BROADCAST, Kind.CONSTANT, Kind.FILL, Kind.ZEROS_LIKE})

_SUMS = frozenset({Kind.ADD, Kind.ADD_MANY, Kind.SUBTRACT, Kind.SUM})
"""What they give of numbers other than zero is zero where these cancel: the loss does not depend on the variable."""

_ADDING = frozenset({Kind.ADD, Kind.ADD_MANY})
_CANCEL = "where gradients come together and cancel"
_RELU = (Kind.RELU, Kind.RELU6)


def zero_gradients(study: Study) -> list[Finding]:
    """One finding for each operation from which on gradients of variables are zero."""
    zeros = find_zeros(study)
    if not (zeros.zero & study.gradient[study.port]).any() or _nothing_to_learn(study, zeros):
        return []
    starts: dict[int, list[tuple[int, int]]] = {}
    for variable, gradients in gradients_of_variables(study).items():
        if gradients and all(zeros.zero[k] for k in gradients):
            own = int(study.port[gradients[0]])
            first = first_zero(study, zeros, own)
            if sums(study, first) and not _zero_values(study, zeros, first) and not _cancels_before(study, first, own):
                continue
            starts.setdefault(_root(study, zeros, first), []).append((variable, first))
    dead = _dead(study, zeros)
    saturated = {int(study.port[each.series]) for each in saturated_outputs(study)} if starts else set()
    return [
        _finding(
            study, zeros, _earliest(study, zeros, [port for _, port in found]), [variable for variable, _ in found]
        )
        for found in starts.values()
        if not any(dead[each] for _, port in found for each in _zero_values(study, zeros, port))
        and not any(_is_gradient_of(study, saturated, port) for _, port in found)
    ]


def _cancels_before(study: Study, first: int, own: int) -> bool:
    """Whether gradients cancel on the way to a variable, not in its own, as those of a critic's last bias do."""
    return first != own and named(_type(study, first)).kind in _ADDING


def _is_gradient_of(study: Study, saturated: Collection[int], port: int) -> bool:
    """Whether it is the gradient of an output at its limits: `saturated_output` tells of that."""
    return any(nearest(study, each) in saturated for each in study.wiring.parents(port))


def _dead(study: Study, zeros: Zeros) -> Bools:
    """For each port whether it is a dead layer, or made from one: `dead_units` tells of those."""
    dead = [int(study.port[k]) for k in dead_layers(study, zeros)]
    result = made_of(study, dead)
    result[dead] = True
    return result


def _zero_values(study: Study, zeros: Zeros, port: int) -> list[int]:
    """The values of the forward pass that a gradient was made from, where they are all zero."""
    given = [nearest(study, each) for each in study.wiring.parents(port) if not study.gradient[each]]
    return [each for each in given if zeros.of(study, each)]


def _earliest(study: Study, zeros: Zeros, ports: list[int]) -> int:
    """Of gradients that are zero for one reason the one that is multiplied with the earliest zero value."""
    return min(ports, key=lambda port: (min(_zero_values(study, zeros, port), default=NONE), port))


def _root(study: Study, zeros: Zeros, port: int) -> int:
    """What the gradients have in common that are zero for one reason: the first zero value of the forward pass."""
    here = next(iter(_zero_values(study, zeros, port)), NONE)
    if here == NONE:
        return port
    for _ in range(_FARTHEST):
        before = [nearest(study, each) for each in study.wiring.parents(here)]
        behind = next((each for each in before if each != here and zeros.of(study, each)), NONE)
        if behind == NONE:
            break
        here = behind
    return here


def first_zero(study: Study, zeros: Zeros, port: int) -> int:
    """The gradient that was made from none that is all zero, of those behind one that is."""
    seen, open_ports, firsts = {port}, [port], []
    while open_ports and len(seen) < _FARTHEST:
        here = open_ports.pop()
        before = [each for each in _gradients_before(study, here) if zeros.of(study, each)]
        if not before:
            firsts.append(here)
        fresh = [each for each in before if each not in seen]
        seen.update(fresh)
        open_ports += fresh
    return min(firsts, default=port, key=lambda each: (study.ports.site[each], each))


def _gradients_before(study: Study, port: int) -> list[int]:
    """The recorded gradients that a gradient was made from, seen through what was not recorded."""
    found, seen, open_ports = [], {port}, [port]
    while open_ports and len(seen) < _FARTHEST:
        for parent in study.wiring.parents(open_ports.pop()):
            if parent in seen:
                continue
            seen.add(parent)
            if parent not in study.at:
                open_ports.append(parent)
            elif study.gradient[parent]:
                found.append(parent)
    computed = [each for each in found if named(_type(study, each)).kind not in _ZEROS]
    return computed or found  # a choice between a gradient and zeros is to blame, not the zeros


def _type(study: Study, port: int) -> str:
    site = study.wiring.site(port)
    return "" if site is None else site.op_type


def _nothing_to_learn(study: Study, zeros: Zeros) -> bool:
    """Whether the loss is zero as well."""
    return any(zeros.zero[k] for k in study.losses)


def _finding(study: Study, zeros: Zeros, port: int, variables: list[int]) -> Finding:
    k = study.at[port][0]
    run, site = int(zeros.run[k]), study.site(k)
    row = int(study.series.starts[k + 1]) - run
    names = [study.program.variables[variable].name for variable in variables]
    forward = forward_of(study, site)
    explanation, known = _reason(study, zeros, port)
    since = int(study.series.step[row])
    return Finding(
        kind="zero_gradient",
        series=k,
        explanation=(
            f"The gradient of {_some(names)} is exactly zero in the last {run} steps, since step {since}: from "
            f"{study.name(k)} on, {explanation}"
        ),
        suggestion=study.fix(k, "zero_gradient", known),
        evidence={"steps": run, "since_step": since, "zeros": int(study.series.zero[row]), "variables": len(names)},
        gravity=float(len(names)),
        variable=variables[0],
        site=forward.site if forward is not None else NONE,
        also=listed(names),
    )


def _some(names: list[str]) -> str:
    more = len(names) - 1
    return f"{names[0]} and of {more} more variable{'s' * (more > 1)}" if more else names[0]


def _reason(study: Study, zeros: Zeros, port: int) -> tuple[str, str]:
    """Why the first zero gradient is zero, and what else is known of it, for the fix."""
    operation, site = named(_type(study, port)), study.site(study.at[port][0])
    blocking = next(iter(_zero_values(study, zeros, port)), NONE)
    if operation.kind in _ZEROS:
        framework = title(site.framework)
        return f"which {framework} put in because the loss does not depend on what it differentiates.", "unconnected"
    if blocking != NONE:
        what = study.name(study.at[blocking][0])
        known = "zero_weights" if blocking in study.variable_of else "all_zero"
        return f"as {what}, which the gradient is multiplied with, is all zero.", known
    if operation.kind in _ADDING:
        return (
            "where gradients come together and cancel: the loss takes with a minus what it takes with a plus.",
            "cancel",
        )
    if operation.gradient_of in _RELU:
        return _reason_of_relu(study, port)
    return f"where {site.op_type} lets nothing of it through.", ""


def _reason_of_relu(study: Study, port: int) -> tuple[str, str]:
    """The same for the gradient of a ReLU: whether the ReLU is above zero anywhere is known from its values."""
    given = [nearest(study, each) for each in study.wiring.parents(port) if not study.gradient[each]]
    series = [k for each in given for k in study.at.get(each, [])[:1]]
    highest = max((float(study.series.high[study.series.starts[k + 1] - 1]) for k in series), default=0.0)
    if not highest > 0:
        return "as none of the units is above zero for any input: the layer is dead.", "dead"
    what = f"{study.name(series[0])} goes up to {number(highest)}"
    return f"as nothing comes back to those units that are above zero, although {what}.", "not_taken"


def sums(study: Study, port: int) -> bool:
    """Whether a gradient is a sum of others, which may cancel."""
    operation = named(_type(study, port))
    return operation.kind in _SUMS or operation.gradient_of is Kind.ADD_BIAS
