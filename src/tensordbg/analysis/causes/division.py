"""Causes that lie in a division: by zero, in a gradient at zero, or by the number of elements of nothing."""

from __future__ import annotations

import math

from tensordbg.analysis.causes.case import Case, Cause, all_finite, are, infinite, number, of_elements, vanishing
from tensordbg.analysis.causes.disguises import behind, lost_epsilon, probability
from tensordbg.analysis.causes.magnitudes import may_overflow
from tensordbg.analysis.causes.shrinking import explain_shrinking, fix_shrinking
from tensordbg.analysis.causes.updates import explain_epsilon, fix_epsilon, is_without_epsilon
from tensordbg.analysis.program.operations import named
from tensordbg.model import Health
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Domain, Role
from tensordbg.operations.traits import Trait

_OF = {Kind.RECIPROCAL: "a reciprocal", Kind.RSQRT: "a root", Kind.SQRT: "a square root"}

_OF_ZERO_ALONE = {Kind.RECIPROCAL: "a reciprocal", Kind.RSQRT: "one over a root"}
"""What is infinite of no number but 0, or one that is next to it."""

BY_ZERO = "division_by_zero"


def _divisor(case: Case) -> int | None:
    return case.operand(Role.DIVISOR)


def _division_by_zero(case: Case) -> bool:
    if is_without_epsilon(case):
        return True
    divisor = _divisor(case)
    if divisor is not None and vanishing(case.health(divisor), case.view.dtype) > 0:
        return True
    return _is_of_unseen_zero(case) or _without_spread(case) or _without_norm(case)


def _is_of_unseen_zero(case: Case) -> bool:
    """Whether the output alone says that a divisor was 0 which was not recorded, as where TensorFlow folded it away."""
    divisor = _divisor(case)
    return (
        case.operation.kind in _OF_ZERO_ALONE
        and divisor is not None
        and case.health(divisor) is None
        and infinite(case.output) > 0
    )


def _without_norm(case: Case) -> bool:
    """Whether a whole row that is divided by its norm may be 0, which alone makes a NaN of finite numbers there."""
    given, scales = case.health(0), case.health(1)
    if not case.operation.has(Trait.DIVIDES_BY_NORM) or given is None or scales is None or not scales.size:
        return False
    return bool(case.output.nan) and all_finite(case.healths()) and given.zero >= given.size // scales.size > 0


def _without_spread(case: Case) -> bool:
    """Whether a normalisation of finite numbers divides by a standard deviation of 0."""
    if not case.operation.has(Trait.NORMALISES):
        return False
    given, variance = case.health(0), _variance(case)
    sound = given is not None and given.size > 0 and all_finite(case.healths()) and not may_overflow(case)
    return sound and (variance is None or not variance.negative)


def _variance(case: Case) -> Health | None:
    """The variance that a normalisation is given, where it is given one."""
    given = case.operand(Role.ROOT)
    return None if given is None else case.health(given)


def _unseen_zero(case: Case) -> str:
    count = infinite(case.output)
    what = _OF_ZERO_ALONE[case.operation.kind]
    return (
        f"{of_elements(count, case.output.size)} {are(count)} infinite, which {what} is for 0 alone; "
        f"{case.name(_divisor(case) or 0)} was not recorded."
    )


def _zeros(case: Case, k: int) -> str:
    given = case.health(k)
    if given is None:
        return f"{case.name(k)} was not recorded"
    count, word = (given.zero, "0") if given.zero else (given.subnormal, "so small that kernels take them for 0")
    return f"{case.name(k)}: {of_elements(count, given.size)} {are(count)} {word}"


def _explain_division(case: Case) -> str:
    if _unwritten(case):
        return (
            f"{_explain_quotient(case)} It comes from the variable {_unwritten(case)}, which still held its first "
            "value: nothing that was recorded had written it since it was made."
        )
    shrank = f" {explain_shrinking(case)}." if case.shrunk is not None else ""
    return _explain_quotient(case) + shrank


def _explain_quotient(case: Case) -> str:
    if is_without_epsilon(case):
        return explain_epsilon(case)
    if _without_spread(case):
        variance = _variance(case)
        given = "The variance that it is given is 0"
        if variance is None or not variance.size:
            given = (
                f"A channel of {case.name(int(case.operand(Role.ROOT) is None))} does not vary, so its variance is 0"
            )
        return (
            f"{given}, and the epsilon of this "
            f"{case.op_type} is 0 too; division by 0 gives {'NaN' if case.output.nan else 'an infinity'}."
        )
    if _is_of_unseen_zero(case):
        return _unseen_zero(case)
    if _without_norm(case):
        return (
            f"{_zeros(case, 0)}, a whole row among them; it is divided by its norm, which is 0 as well, and 0/0 is NaN."
        )
    divisor = _divisor(case)
    assert divisor is not None
    if case.operation.kind is Kind.RSQRT:
        return f"{_zeros(case, 0)}; 1/sqrt(0) is infinite."
    dividend = case.health(0) if divisor else None
    if dividend is not None and dividend.zero and case.output.nan:
        return f"{_zeros(case, divisor)}, and so is the dividend {case.name(0)} there; 0/0 is NaN."
    return f"{_zeros(case, divisor)}; division by 0 gives {'NaN' if case.output.nan else 'an infinity'}."


def _unwritten(case: Case) -> str:
    """The variable that the divisor comes from, where it still held the 0 that it was made with."""
    divisor = _divisor(case)
    given = None if divisor is None else case.health(divisor)
    if divisor is None or given is None or given.zero != given.size:
        return ""
    return case.unwritten[divisor] if divisor < len(case.unwritten) else ""


def _fix_division(case: Case) -> str:
    if is_without_epsilon(case) and not _unwritten(case):
        return fix_epsilon(case)
    if case.shrunk is not None:
        return fix_shrinking(case)
    divisor = _divisor(case) or 0
    own = _without_spread(case) or _without_norm(case)
    if not _unwritten(case) and not own and lost_epsilon(case, divisor):
        return lost_epsilon(case, divisor)
    return case.fix("division_by_zero", _known_of_division(case), name=_unwritten(case), added=number(case.added_after))


def _known_of_division(case: Case) -> str:
    """What changes the fix."""
    if _unwritten(case):
        return "unwritten"
    if _without_spread(case):
        return "normalisation"
    if _without_norm(case):
        return "norm"
    if not math.isnan(case.added_after):
        return "added_after"
    return "root" if case.operation.kind is Kind.RSQRT else ""


def _infinite_gradient(case: Case) -> bool:
    forward = case.operand(Role.FORWARD_DIVISOR)
    if forward is not None:
        return vanishing(case.health(forward), case.view.dtype) > 0
    if not case.gradient or case.own_line:
        return False
    if case.operation.kind is Kind.POWER:
        base, exponent = case.health(0), case.health(1)
        return vanishing(base, case.view.dtype) > 0 and exponent is not None and exponent.negative > 0
    return _division_by_zero(case)


def _explain_gradient(case: Case) -> str:
    if _is_of_unseen_zero(case):
        return f"In the backward pass, {_unseen_zero(case)}"
    forward, gradient_of = case.operand(Role.FORWARD_DIVISOR), case.gradient_of
    if forward is None:
        forward = _divisor(case)
    if (edge := _edge(case)) is not None:
        ends = number(edge.low) if math.isinf(edge.high) else f"{number(edge.low)} and {number(edge.high)}"
        return f"{_zeros(case, forward or 0)}, as {case.forward_type} is at {ends}, where its slope is infinite."
    if _needs_distinct(case):
        return (
            f"{_zeros(case, forward or 0)}: {case.forward_type} gave values that are equal, and the gradient of the "
            "vectors that belong to them is divided by their difference."
        )
    if forward is not None and gradient_of in _OF:
        return f"{_zeros(case, forward)}; the slope of {_OF[gradient_of]} is infinite there."
    if case.operation.kind is Kind.POWER:
        return f"{_zeros(case, 0)}; the slope of a power below 1 is infinite at 0."
    return f"In the backward pass, {_zeros(case, _divisor(case) or 0)}, and the gradient is divided by it."


def _edge(case: Case) -> Domain | None:
    """The domain of the forward operation, whose slope is infinite at its ends."""
    domains = named(case.forward_type).domains if case.forward_type else ()
    return next((each for each in domains if not each.operand and not each.open and each.low != 0), None)


def _needs_distinct(case: Case) -> bool:
    return bool(case.forward_type) and named(case.forward_type).has(Trait.NEEDS_DISTINCT)


def _fix_gradient(case: Case) -> str:
    if _needs_distinct(case):
        return case.fix("infinite_gradient", "distinct")
    edge = _edge(case)
    if edge is not None and math.isinf(edge.high):
        return case.fix("infinite_gradient", "edge_low", low=number(edge.low))
    if edge is not None:
        bounded = case.fix("infinite_gradient", "edge", low=number(edge.low), high=number(edge.high))
        return bounded + (case.fix("infinite_gradient", "edge_cosine") if edge.low == -1 else "")
    divisor, forward = _divisor(case), case.operand(Role.FORWARD_DIVISOR)
    if divisor is not None:
        written = probability(behind(case, divisor))
        if written:
            return case.fix("infinite_gradient", written)
        if lost_epsilon(case, divisor):
            return lost_epsilon(case, divisor)
    if not math.isnan(case.added_after) and forward is not None:
        return case.fix("infinite_gradient", "added_after", added=number(case.added_after))
    return case.fix("infinite_gradient", "root" if case.gradient_of in (Kind.SQRT, Kind.RSQRT) else "")


def _reduction_of_nothing(case: Case) -> bool:
    given = case.health(0)
    return bool(case.operation.of_nothing) and given is not None and given.size == 0


def _explain_nothing(case: Case) -> str:
    shape = case.shape(0)
    of_shape = f" (shape {list(shape)})" if shape is not None else ""
    result = case.operation.of_nothing
    return f"{case.name(0)} has no elements{of_shape}; the {case.op_type.lower()} of nothing is {result}."


def _fix_nothing(case: Case) -> str:
    return case.fix("reduction_of_nothing")


CAUSES = (
    Cause("reduction_of_nothing", _reduction_of_nothing, _explain_nothing, _fix_nothing),
    Cause("infinite_gradient", _infinite_gradient, _explain_gradient, _fix_gradient),
    Cause(BY_ZERO, _division_by_zero, _explain_division, _fix_division),
)
