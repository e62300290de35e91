"""How large a result can be: bounds from the magnitudes of the inputs."""

from __future__ import annotations

import math

from tensordbg.analysis.causes.case import Case, all_finite, infinite, largest_of, magnitude
from tensordbg.analysis.kinds import (
    DEGREES,
    DIVISOR,
    EVEN_EXPONENTIALS,
    EXPONENTIALS,
    LOGARITHM_OF,
    NO_LARGER,
    POWERS,
    QUOTIENTS,
    ROOT_OF,
    SUMMED,
    adds,
    contracts,
    multiplies,
)
from tensordbg.model import Health

_CLOSE = 0.99
"""The statistics of half-precision numbers are rounded; a bound this close to the limit counts as beyond it."""


def is_arithmetic(case: Case) -> bool:
    """Whether the operation adds, multiplies or divides."""
    kind = case.op_type
    return adds(kind) or multiplies(kind) or kind in QUOTIENTS or kind in DEGREES


def may_overflow(case: Case) -> bool:
    """Whether an operation that was given finite numbers may have gone beyond the largest that its type can hold.

    Of an operation of which it is not known what it computes, an infinity must have come out.
    """
    if not all_finite(case.healths()) or not (is_arithmetic(case) or infinite(case.output)):
        return False
    return bound(case) > _CLOSE * case.largest


def exponential_overflows(case: Case) -> bool:
    """Whether an exponential was taken of more than the type can hold."""
    beyond = exponent(case) > _CLOSE * exponential_limit(case.view.dtype)
    return case.op_type in EXPONENTIALS and infinite(case.output) > 0 and beyond


def exponential_limit(dtype: str) -> float:
    """The largest number whose exponential a type can hold."""
    return math.log(largest_of(dtype))


def exponent(case: Case) -> float:
    """The largest number that an exponential is taken of."""
    given = case.health(0)
    if given is None:
        return math.inf
    return magnitude(given) if case.op_type in EVEN_EXPONENTIALS else given.max


def bound(case: Case) -> float:
    """The largest magnitude that an operation can have made of its inputs, 0 where it makes none larger."""
    kind = case.op_type
    healths = case.healths()
    sizes = [magnitude(health) for health in healths]
    elements = max((health.size for health in healths), default=1)
    largest = max(sizes, default=0.0)
    if kind in NO_LARGER:
        return 0.0
    if kind in DEGREES:
        return _power(2 * largest, DEGREES[kind]) * (elements if kind.startswith(tuple(SUMMED)) else 1)
    if kind in QUOTIENTS:
        return _quotient(case)
    if kind == "Pow":
        return _of_power(case)
    if kind in POWERS:
        return _power(largest, elements)
    if multiplies(kind):
        return math.prod(sorted(sizes)[-2:]) * (elements if contracts(kind) else 1)
    if kind in LOGARITHM_OF or kind in EXPONENTIALS or kind in ROOT_OF or kind in DIVISOR:
        return 0.0
    return largest * max(elements, len(sizes))


def _quotient(case: Case) -> float:
    divisor = QUOTIENTS[case.op_type]
    smallest = _smallest(case.health(divisor))
    dividends = [magnitude(case.health(k)) for k in case.numbers() if k != divisor]
    if smallest == 0:
        return math.inf
    return max(dividends, default=1.0) / smallest


def _of_power(case: Case) -> float:
    base, exponent = case.health(0), case.health(1)
    if base is None or exponent is None:
        return math.inf
    small = _smallest(base)
    negative = math.inf if small == 0 else _power(1 / small, -exponent.min)
    return max(_power(magnitude(base), exponent.max), negative if exponent.min < 0 else 0.0)


def _smallest(health: Health | None) -> float:
    """The smallest magnitude other than 0, as far as the statistics tell: 0 where there may be any."""
    if health is None or health.min < 0 < health.max:
        return 0.0
    if health.zero == health.size:
        return math.inf
    return 0.0 if health.zero else min(abs(health.min), abs(health.max))


def _power(base: float, exponent: float) -> float:
    # Beyond 308 digits a Python float is infinite as well.
    return math.inf if exponent * math.log10(max(base, 1.0)) > 308 else max(base, 1.0) ** exponent
