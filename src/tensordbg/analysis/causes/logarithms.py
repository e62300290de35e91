"""Logarithms of zero and of negative numbers."""

from __future__ import annotations

import math

from tensordbg.advice.lookup import title
from tensordbg.analysis.causes.case import SMALLEST_NORMAL, Case, Cause, are, number, of_elements, vanishing
from tensordbg.analysis.causes.disguises import behind, lost_epsilon, probability
from tensordbg.analysis.program.operations import named
from tensordbg.model import Health
from tensordbg.operations.composites import is_of_exponentials, is_one_less_squared_tanh, is_product_of_probabilities
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Role
from tensordbg.operations.traits import Trait

_PROBABILITIES = {Kind.SOFTMAX: "softmax", Kind.SIGMOID: "sigmoid"}


def _is_logarithm(case: Case) -> bool:
    return case.operand(Role.LOGARITHM) is not None


def _of_one_plus(case: Case) -> bool:
    return case.operation.has(Trait.ONE_PLUS)


def _operand(case: Case) -> int:
    return case.operand(Role.LOGARITHM) or 0


def _operand_health(case: Case) -> Health | None:
    return case.health(_operand(case))


def _name(case: Case) -> str:
    return case.name(_operand(case))


def _of_negative(case: Case) -> bool:
    if not _is_logarithm(case) or not case.output.nan:
        return False
    given = _operand_health(case)
    if given is None:
        return True
    return given.min < -1 if _of_one_plus(case) else given.negative > 0


def _explain_negative(case: Case) -> str:
    given = _operand_health(case)
    if given is None:
        results = of_elements(case.output.nan, case.output.size)
        return f"{results} {are(case.output.nan)} NaN, which a logarithm gives for a number below zero."
    if _of_one_plus(case):
        return f"{_name(case)} goes down to {number(given.min)}; log(1 + x) is NaN for x below -1."
    negative = of_elements(given.negative, given.size)
    zeros = f" ({given.zero:,} {are(given.zero)} 0)" if given.zero else ""
    return (
        f"{_name(case)}: {negative} {are(given.negative)} negative, down to {number(given.min)}{zeros}; "
        "the logarithm of a negative number is NaN."
    )


def _fix_negative(case: Case) -> str:
    return case.fix("log_of_negative", "one_plus" if _of_one_plus(case) else "")


def _of_zero(case: Case) -> bool:
    if not _is_logarithm(case) or not case.output.neg_inf + case.output.pos_inf:
        return False
    given = _operand_health(case)
    if given is None:
        return True
    return given.min == -1 if _of_one_plus(case) else vanishing(_operand_health(case), case.view.dtype) > 0


def _explain_zero(case: Case) -> str:
    given = _operand_health(case)
    if given is None:
        count = case.output.neg_inf + case.output.pos_inf
        return f"{of_elements(count, case.output.size)} {are(count)} infinite, which a logarithm is for 0 alone."
    if _of_one_plus(case):
        return f"{_name(case)} goes down to -1; log(1 + x) is -inf there."
    if given.zero:
        return f"{_name(case)}: {of_elements(given.zero, given.size)} {are(given.zero)} 0; log(0) is -inf."
    tiny = of_elements(given.subnormal, given.size)
    limit = number(SMALLEST_NORMAL.get(case.view.dtype, 1.17549e-38))
    return (
        f"{_name(case)}: {tiny} {are(given.subnormal)} smaller than {limit}, which {title(case.framework)}'s kernels "
        "take for 0; log(0) is -inf."
    )


def _fix_zero(case: Case) -> str:
    k = _operand(case)
    made_by = named("".join(case.made_by(k)[-1:])).kind
    written = probability(behind(case, k)) or _PROBABILITIES.get(made_by, "")
    if written:
        return " ".join(filter(None, (case.fix("log_of_zero", written), lost_epsilon(case, k))))
    if not math.isnan(case.added_after):
        return case.fix("log_of_zero", "added_after", added=number(case.added_after))
    if lost_epsilon(case, k):
        return lost_epsilon(case, k)
    made = behind(case, k)
    if made is not None and is_one_less_squared_tanh(made):
        return case.fix("log_of_zero", "tanh")
    if made is not None and is_of_exponentials(made):
        return case.fix("log_of_zero", "exponentials")
    if made is not None and is_product_of_probabilities(made):
        return case.fix("log_of_zero", "probabilities")
    if made_by is Kind.DIVIDE and made is None:
        return case.fix("log_of_zero", "quotient")
    return case.fix("log_of_zero", "one_plus" if _of_one_plus(case) else "")


CAUSES = (
    Cause("log_of_negative", _of_negative, _explain_negative, _fix_negative),
    Cause("log_of_zero", _of_zero, _explain_zero, _fix_zero),
)
