"""Roots, powers and inverse functions where they have no value."""

from __future__ import annotations

import math

from tensordbg.analysis.causes.case import Case, Cause, are, counted, infinite, number, of_elements
from tensordbg.model import Health
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Domain, Role


def _root_of_negative(case: Case) -> bool:
    root = case.operand(Role.ROOT)
    if root is None or not case.output.nan:
        return False
    given = case.health(root)
    return given.negative > 0 if given is not None else root == 0


def _explain_root(case: Case) -> str:
    root = case.operand(Role.ROOT) or 0
    given = case.health(root)
    if given is None:
        results = of_elements(case.output.nan, case.output.size)
        return f"{results} {are(case.output.nan)} NaN, which a root gives for a number below zero."
    negative = of_elements(given.negative, given.size)
    return (
        f"{case.name(root)}: {negative} {are(given.negative)} negative, down to {number(given.min)}; "
        "the square root of a negative number is NaN."
    )


def _fix_root(case: Case) -> str:
    return case.fix("root_of_negative")


def _pow_domain(case: Case) -> bool:
    if case.operation.kind is not Kind.POWER:
        return False
    base, exponent = case.health(0), case.health(1)
    if base is None or exponent is None:
        return case.output.nan > 0
    negative = case.output.nan > 0 and base.negative > 0
    return negative or (infinite(case.output) > 0 and base.zero > 0 and exponent.negative > 0)


def _explain_pow(case: Case) -> str:
    base, exponent = case.health(0), case.health(1)
    if base is None or exponent is None:
        return "A power is NaN where a negative base has an exponent that is not whole."
    if case.output.nan and base.negative:
        powers = f"exponent {number(exponent.max)}" if exponent.min == exponent.max else "exponents"
        negative = of_elements(base.negative, base.size)
        return (
            f"{case.name(0)}: {negative} {are(base.negative)} negative, down to {number(base.min)}; "
            f"with an exponent that is not whole ({powers}) the power is NaN."
        )
    return (
        f"{case.name(0)}: {of_elements(base.zero, base.size)} {are(base.zero)} 0, and the exponent goes down to "
        f"{number(exponent.min)}; 0 to a negative power is infinite."
    )


def _fix_pow(case: Case) -> str:
    return case.fix("pow_domain")


def _outside(case: Case) -> Domain | None:
    """The domain that an operand leaves, the first where none of them was recorded."""
    domains = case.operation.domains
    for domain in domains:
        given = case.health(domain.operand)
        if given is not None and _leaves(given, domain):
            return domain
    recorded = any(case.health(domain.operand) is not None for domain in domains)
    return domains[0] if domains and not recorded else None


def _leaves(given: Health, domain: Domain) -> bool:
    at_end = domain.open and (given.min == domain.low or given.max == domain.high)
    return given.min < domain.low or given.max > domain.high or at_end


def _at_infinity(case: Case) -> int | None:
    """Which input holds infinities, where a NaN was made of them."""
    return next((k for k in case.numbers() if infinite(case.health(k))), None) if case.output.nan else None


def _function_domain(case: Case) -> bool:
    return _outside(case) is not None or _at_infinity(case) is not None


def _explain_domain(case: Case) -> str:
    domain = _outside(case)
    if domain is None:
        infinities = counted(infinite(case.health(_at_infinity(case) or 0)), "infinity", "infinities")
        return f"{case.name(_at_infinity(case) or 0)} holds {infinities}, at which {case.op_type} has no value."
    rule = f"{case.op_type} has a finite value only for numbers {domain.words}"
    given = case.health(domain.operand)
    if given is None:
        return f"{rule}."
    return f"{case.name(domain.operand)} runs from {number(given.min)} to {number(given.max)}; {rule}."


def _fix_domain(case: Case) -> str:
    domain = _outside(case)
    if domain is None:
        return case.fix("function_domain", "infinity")
    if domain.high == math.inf:
        return case.fix("function_domain", "above", low=number(domain.low))
    bounded = case.fix("function_domain", "between", low=number(domain.low), high=number(domain.high))
    return bounded + (case.fix("function_domain", "cosine") if domain.low == -1 else "")


CAUSES = (
    Cause("root_of_negative", _root_of_negative, _explain_root, _fix_root),
    Cause("pow_domain", _pow_domain, _explain_pow, _fix_pow),
    Cause("function_domain", _function_domain, _explain_domain, _fix_domain),
)
