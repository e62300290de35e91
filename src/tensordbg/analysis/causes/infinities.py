"""Causes that need an infinity to begin with: where infinities that the program wrote down become NaN."""

from __future__ import annotations

from tensordbg.analysis.causes.case import Case, Cause, counted, infinite
from tensordbg.model import Health
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Role
from tensordbg.operations.traits import Trait

_LOSSES = (Kind.SOFTMAX_LOSS, Kind.SPARSE_SOFTMAX_LOSS)


def _infinite_inputs(case: Case) -> list[Health]:
    return [health for health in case.healths() if infinite(health)]


def _logits(case: Case) -> int:
    return next(iter(case.numbers()), 0)


def _masked_throughout(case: Case) -> bool:
    logits, shape = case.health(_logits(case)), case.shape(_logits(case))
    if not case.operation.has(Trait.TAKES_MAXIMUM_AWAY) or not case.output.nan or logits is None:
        return False
    row = shape[-1] if shape and case.operation.kind in _LOSSES else 1  # a loss is also NaN for 0 times log(0)
    return row <= logits.neg_inf == infinite(logits)


def _explain_masked(case: Case) -> str:
    logits, shape = case.health(_logits(case)), case.shape(_logits(case))
    assert logits is not None
    row = f" of {shape[-1]:,}" if shape else ""
    of = f" (the mask: {case.mask})" if case.mask else ""
    return (
        f"{logits.neg_inf:,} of the {logits.size:,} elements of {case.name(_logits(case))} are -inf, and at least one "
        f"row{row} holds nothing else{of}; a softmax first subtracts the row's maximum, and -inf - (-inf) is NaN."
    )


def _fix_masked(case: Case) -> str:
    return case.fix("fully_masked_softmax", dtype=case.view.dtype)


def _zero_times_inf(case: Case) -> bool:
    if not case.output.nan or not _infinite_inputs(case):
        return False
    if case.operand(Role.DENOMINATOR) is not None:
        return len(case.numbers()) == len(_infinite_inputs(case))
    if case.operation.kind in _LOSSES:
        return not any(health.pos_inf for health in case.healths())
    return case.operation.has(Trait.MULTIPLIES) and _zeros_beside(case) is not None


def _zeros_beside(case: Case) -> tuple[int, int] | None:
    """An input with infinities, and one with zeros that these are multiplied with."""
    numbers = case.numbers()
    within = case.operation.has(Trait.MULTIPLIES_MANY) and case.operation.kind is not Kind.POWER
    masks = [k for k, given in enumerate(case.inputs) if given.recorded is not None and given.recorded.dtype == "bool"]
    for k in numbers:
        for other in [*numbers, *masks]:
            health = case.health(other)
            if infinite(case.health(k)) and health is not None and health.zero and (k != other or within):
                return k, other
    return None


def _explain_zero_times(case: Case) -> str:
    if case.operand(Role.DENOMINATOR) is not None:
        names = " and ".join(case.name(k) for k in case.numbers())
        both = f"Both {names} hold" if len(case.numbers()) > 1 else f"{names} holds"
        return f"{both} infinities; infinity / infinity is NaN."
    found = _zeros_beside(case)
    if found is None:
        infinities = counted(sum(map(infinite, case.healths())), "infinity", "infinities")
        return f"{case.name(_logits(case))} holds {infinities}, and the label is 0 at one of them; 0 * infinity is NaN."
    k, other = found
    health = case.health(other)
    infinities = counted(infinite(case.health(k)), "infinity", "infinities")
    zeros = counted(health.zero if health is not None else 0, "zero", "zeros")
    if k == other:
        return f"{case.name(k)} holds {infinities} and {zeros}; 0 * infinity is NaN."
    return f"{case.name(k)} holds {infinities}, {case.name(other)} holds {zeros}; 0 * infinity is NaN."


def _fix_zero_times(case: Case) -> str:
    return case.fix("zero_times_inf", "loss" if case.operation.kind in _LOSSES else "", dtype=case.view.dtype)


def _inf_minus_inf(case: Case) -> bool:
    meet = case.operation.has(Trait.ADDS, Trait.CONTRACTS, Trait.TAKES_MAXIMUM_AWAY) or case.operation.degree > 0
    return meet and case.output.nan > 0 and bool(_infinite_inputs(case))


def _explain_inf_minus_inf(case: Case) -> str:
    parts = []
    for k in case.numbers():
        health = case.health(k)
        if health is not None and infinite(health):
            signs = [
                f"{count:,} {sign}" for count, sign in ((health.pos_inf, "+inf"), (health.neg_inf, "-inf")) if count
            ]
            parts.append(f"{case.name(k)} holds {' and '.join(signs)}")
    return f"{'; '.join(parts)}; infinities of unlike sign in a sum, or of like sign in a difference, give NaN."


def _fix_inf_minus_inf(case: Case) -> str:
    return case.fix("inf_minus_inf")


CAUSES = (
    Cause("fully_masked_softmax", _masked_throughout, _explain_masked, _fix_masked),
    Cause("zero_times_inf", _zero_times_inf, _explain_zero_times, _fix_zero_times),
    Cause("inf_minus_inf", _inf_minus_inf, _explain_inf_minus_inf, _fix_inf_minus_inf),
)
