"""Causes that lie in a function's domain: logarithms, roots, powers and inverse functions where they have no value."""

from __future__ import annotations

from tensordbg.analysis.causes.case import SMALLEST_NORMAL, Case, Cause, are, number, of_elements
from tensordbg.model import Health

_LOG_INPUT = {"Log": 0, "Log1p": 0, "Xlogy": 1, "Xlog1py": 1}
_ONE_PLUS = frozenset({"Log1p", "Xlog1py"})
_ROOTS = frozenset({"Sqrt", "Rsqrt"})

_DOMAINS = {
    "Acos": (-1.0, 1.0, "from -1 to 1"),
    "Acosh": (1.0, float("inf"), "from 1 upwards"),
    "Asin": (-1.0, 1.0, "from -1 to 1"),
    "Atanh": (-1.0, 1.0, "between -1 and 1, both excluded"),
    "BesselK0": (0.0, float("inf"), "above 0"),
    "BesselK1": (0.0, float("inf"), "above 0"),
    "BesselY0": (0.0, float("inf"), "above 0"),
    "BesselY1": (0.0, float("inf"), "above 0"),
    "Digamma": (0.0, float("inf"), "except 0 and the negative whole numbers"),
    "Erfinv": (-1.0, 1.0, "between -1 and 1, both excluded"),
    "Lgamma": (0.0, float("inf"), "except 0 and the negative whole numbers"),
    "Ndtri": (0.0, 1.0, "between 0 and 1, both excluded"),
}
"""Where functions have a finite value: from, to, and in words."""

_OPEN = frozenset({"Atanh", "BesselK0", "BesselK1", "BesselY0", "BesselY1", "Digamma", "Erfinv", "Lgamma", "Ndtri"})
"""Those that are not finite at the ends themselves."""


def _log_input(case: Case) -> Health | None:
    return case.health(_LOG_INPUT[case.op_type])


def _log_of_negative(case: Case) -> bool:
    if case.op_type not in _LOG_INPUT or not case.output.nan:
        return False
    given = _log_input(case)
    if given is None:
        return True
    return given.min < -1 if case.op_type in _ONE_PLUS else given.negative > 0


def _explain_log_of_negative(case: Case) -> str:
    given, name = _log_input(case), case.name(_LOG_INPUT[case.op_type])
    if given is None:
        return f"{case.output.nan:,} results are NaN, which a logarithm gives for a number below zero."
    if case.op_type in _ONE_PLUS:
        return f"{name} goes down to {number(given.min)}; log(1 + x) is NaN for x below -1."
    zeros = f" ({given.zero:,} {are(given.zero)} 0)" if given.zero else ""
    return (
        f"{name}: {of_elements(given.negative, given.size)} {are(given.negative)} negative, down to "
        f"{number(given.min)}{zeros}; the logarithm of a negative number is NaN."
    )


def _mend_log_of_negative(case: Case) -> str:
    if case.op_type in _ONE_PLUS:
        return "Find out why the input falls below -1, or bound it: `tf.math.log1p(tf.maximum(x, -1 + 1e-7))`."
    return (
        "Find out why the input is negative (a difference, a layer without softplus or softmax before it), or bound it: "
        "`tf.math.log(tf.maximum(x, 1e-7))`."
    )


def _log_of_zero(case: Case) -> bool:
    if case.op_type not in _LOG_INPUT or not case.output.neg_inf + case.output.pos_inf:
        return False
    given = _log_input(case)
    if given is None:
        return True
    return given.min == -1 if case.op_type in _ONE_PLUS else given.zero + given.subnormal > 0


def _explain_log_of_zero(case: Case) -> str:
    given, name = _log_input(case), case.name(_LOG_INPUT[case.op_type])
    if given is None:
        return f"{case.output.neg_inf:,} results are -inf, which a logarithm gives for 0 alone."
    if case.op_type in _ONE_PLUS:
        return f"{name} goes down to -1; log(1 + x) is -inf there."
    if not given.zero:
        smallest = SMALLEST_NORMAL.get(case.view.dtype, 1.18e-38)
        return (
            f"{name}: {of_elements(given.subnormal, given.size)} {are(given.subnormal)} below {number(smallest)}, which "
            "kernels take for 0; log(0) is -inf."
        )
    return f"{name}: {of_elements(given.zero, given.size)} {are(given.zero)} 0; log(0) is -inf."


def _mend_log_of_zero(case: Case) -> str:
    made_by = case.made_by(_LOG_INPUT[case.op_type])
    if made_by and made_by[-1] == "Softmax":
        return (
            "The input is the output of a softmax. Compute the loss from the logits, which never takes the logarithm of 0: "
            "`tf.nn.softmax_cross_entropy_with_logits(labels, logits)`, or `tf.nn.log_softmax(logits)`."
        )
    if made_by and made_by[-1] == "Sigmoid":
        return (
            "The input is the output of a sigmoid. Compute the loss from the logits: "
            "`tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)`, or `tf.math.log_sigmoid(logits)`."
        )
    if made_by and made_by[-1] == "RealDiv":
        return (
            "The input is a quotient. If it is a softmax written out, compute the loss from the logits: "
            "`tf.nn.softmax_cross_entropy_with_logits(labels, logits)`; else `tf.math.log(tf.maximum(x, 1e-7))`."
        )
    if case.op_type in _ONE_PLUS:
        return "Keep the input above -1: `tf.math.log1p(tf.maximum(x, -1 + 1e-7))`."
    return (
        "Keep the input away from 0: `tf.math.log(tf.maximum(x, 1e-7))`; where a factor of 0 stands before the logarithm, "
        "`tf.math.xlogy(factor, x)`."
    )


def _root_of_negative(case: Case) -> bool:
    given = case.health(0)
    return case.op_type in _ROOTS and case.output.nan > 0 and (given is None or given.negative > 0)


def _explain_root(case: Case) -> str:
    given = case.health(0)
    if given is None:
        return f"{case.output.nan:,} results are NaN, which a root gives for a number below zero."
    return (
        f"{case.name(0)}: {of_elements(given.negative, given.size)} {are(given.negative)} negative, down to "
        f"{number(given.min)}; the square root of a negative number is NaN."
    )


def _mend_root(case: Case) -> str:
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
    zero = case.output.pos_inf + case.output.neg_inf > 0 and base.zero > 0 and exponent.negative > 0
    return negative or zero


def _explain_pow(case: Case) -> str:
    base, exponent = case.health(0), case.health(1)
    if base is None or exponent is None:
        return "A power is NaN where a negative base has an exponent that is not whole."
    if case.output.nan and base.negative:
        powers = f"exponent {number(exponent.max)}" if exponent.min == exponent.max else "exponents"
        return (
            f"{case.name(0)}: {of_elements(base.negative, base.size)} {are(base.negative)} negative, down to "
            f"{number(base.min)}; with an exponent that is not whole ({powers}) the power is NaN."
        )
    return (
        f"{case.name(0)}: {of_elements(base.zero, base.size)} {are(base.zero)} 0, and exponents go down to "
        f"{number(exponent.min)}; 0 to a negative power is infinite."
    )


def _mend_pow(case: Case) -> str:
    return "Bound the base: `tf.pow(tf.maximum(x, 1e-7), p)`; for the power of a magnitude `tf.pow(tf.abs(x), p) * tf.sign(x)`."


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
    words = _DOMAINS[case.op_type][2]
    if given is None:
        return f"{case.op_type} has a finite value only for numbers {words}."
    return (
        f"{case.name(0)} runs from {number(given.min)} to {number(given.max)}; {case.op_type} has a finite value only for "
        f"numbers {words}."
    )


def _mend_domain(case: Case) -> str:
    low, high, _ = _DOMAINS[case.op_type]
    if high == float("inf"):
        return f"Bound the input: `tf.maximum(x, {number(low)} + 1e-7)`, or find out why it leaves the domain."
    return (
        f"Bound the input: `tf.clip_by_value(x, {number(low)} + 1e-6, {number(high)} - 1e-6)`; a cosine of unit vectors "
        "leaves the domain by rounding alone."
    )


CAUSES = (
    Cause("log_of_negative", _log_of_negative, _explain_log_of_negative, _mend_log_of_negative),
    Cause("log_of_zero", _log_of_zero, _explain_log_of_zero, _mend_log_of_zero),
    Cause("root_of_negative", _root_of_negative, _explain_root, _mend_root),
    Cause("pow_domain", _pow_domain, _explain_pow, _mend_pow),
    Cause("function_domain", _function_domain, _explain_domain, _mend_domain),
)
