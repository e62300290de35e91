"""Roots, powers and inverse functions where they have no value."""

from __future__ import annotations

import math

from tensordbg.analysis.causes.case import Case, Cause, are, infinite, number, of_elements

_ROOTS = frozenset({"Rsqrt", "Sqrt"})

_DOMAINS = {
    "Acos": (-1.0, 1.0, "from -1 to 1"),
    "Acosh": (1.0, math.inf, "from 1 upwards"),
    "Asin": (-1.0, 1.0, "from -1 to 1"),
    "Atanh": (-1.0, 1.0, "between -1 and 1, both excluded"),
    "BesselK0": (0.0, math.inf, "above 0"),
    "BesselK1": (0.0, math.inf, "above 0"),
    "BesselY0": (0.0, math.inf, "above 0"),
    "BesselY1": (0.0, math.inf, "above 0"),
    "Digamma": (0.0, math.inf, "other than 0 and the negative whole ones"),
    "Erfinv": (-1.0, 1.0, "between -1 and 1, both excluded"),
    "Lgamma": (0.0, math.inf, "other than 0 and the negative whole ones"),
    "Ndtri": (0.0, 1.0, "between 0 and 1, both excluded"),
}
"""Where functions have a finite value: from, to, and in words."""

_OPEN = frozenset({"Atanh", "BesselK0", "BesselK1", "BesselY0", "BesselY1", "Digamma", "Erfinv", "Lgamma", "Ndtri"})
"""Those that are not finite at the ends themselves."""


def _root_of_negative(case: Case) -> bool:
    given = case.health(0)
    return case.op_type in _ROOTS and case.output.nan > 0 and (given is None or given.negative > 0)


def _explain_root(case: Case) -> str:
    given = case.health(0)
    if given is None:
        results = of_elements(case.output.nan, case.output.size)
        return f"{results} {are(case.output.nan)} NaN, which a root gives for a number below zero."
    negative = of_elements(given.negative, given.size)
    return (
        f"{case.name(0)}: {negative} {are(given.negative)} negative, down to {number(given.min)}; "
        "the square root of a negative number is NaN."
    )


def _mend_root(_: Case) -> str:
    return (
        "If rounding alone brings the input below 0 (a variance as E[x^2] - E[x]^2), bound it: "
        "`tf.sqrt(tf.maximum(x, 0.0) + 1e-12)`; else find out why it is negative."
    )


def _pow_domain(case: Case) -> bool:
    if case.op_type != "Pow":
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


def _mend_pow(_: Case) -> str:
    return (
        "Bound the base, `tf.pow(tf.maximum(x, 1e-7), p)`; for the power of a magnitude "
        "`tf.sign(x) * tf.pow(tf.abs(x), p)`."
    )


def _function_domain(case: Case) -> bool:
    if case.op_type not in _DOMAINS:
        return False
    given = case.health(0)
    if given is None:
        return True
    low, high, _ = _DOMAINS[case.op_type]
    at_end = case.op_type in _OPEN and (given.min == low or given.max == high)
    return given.min < low or given.max > high or at_end


def _explain_domain(case: Case) -> str:
    given = case.health(0)
    rule = f"{case.op_type} has a finite value only for numbers {_DOMAINS[case.op_type][2]}"
    if given is None:
        return f"{rule}."
    return f"{case.name(0)} runs from {number(given.min)} to {number(given.max)}; {rule}."


def _mend_domain(case: Case) -> str:
    low, high, _ = _DOMAINS[case.op_type]
    if high == math.inf:
        return f"Bound the input, `tf.maximum(x, {number(low)} + 1e-7)`, or find out why it leaves the domain."
    return (
        f"Bound the input: `tf.clip_by_value(x, {number(low)} + 1e-6, {number(high)} - 1e-6)`. A cosine of unit "
        "vectors leaves the domain by rounding alone."
    )


CAUSES = (
    Cause("root_of_negative", _root_of_negative, _explain_root, _mend_root),
    Cause("pow_domain", _pow_domain, _explain_pow, _mend_pow),
    Cause("function_domain", _function_domain, _explain_domain, _mend_domain),
)
