"""How large a result can be: bounds from the magnitudes of the inputs."""

from __future__ import annotations

import math

from tensordbg.analysis.causes.case import Case, all_finite, infinite, largest_of, magnitude
from tensordbg.model import Health
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Role
from tensordbg.operations.traits import Trait

_CLOSE = 0.99
"""The statistics of half-precision numbers are rounded; a bound this close to the limit counts as beyond it."""

_OF_ITS_OWN = frozenset({Role.DIVISOR, Role.LOGARITHM, Role.ROOT})
"""What has such an operand goes beyond a limit in a way of its own, which other causes know."""


def is_arithmetic(case: Case) -> bool:
    """Whether the operation adds, multiplies or divides."""
    computes = case.operation.has(Trait.ADDS, Trait.MULTIPLIES) or case.operation.degree > 0
    return computes or case.operand(Role.DENOMINATOR) is not None


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
    return case.operation.has(Trait.EXPONENTIAL) and infinite(case.output) > 0 and beyond


def exponential_limit(dtype: str) -> float:
    """The largest number whose exponential a type can hold."""
    return math.log(largest_of(dtype))


def exponent(case: Case) -> float:
    """The largest number that an exponential is taken of."""
    given = case.health(0)
    if given is None:
        return math.inf
    return magnitude(given) if case.operation.has(Trait.EVEN) else given.max


def bound(case: Case) -> float:
    """The largest magnitude that an operation can have made of its inputs, 0 where it makes none larger."""
    operation = case.operation
    healths = case.healths()
    sizes = [magnitude(health) for health in healths]
    elements = max((health.size for health in healths), default=1)
    largest = max(sizes, default=0.0)
    if operation.has(Trait.NO_LARGER):
        return 0.0
    if operation.degree:
        return _power(2 * largest, operation.degree) * (elements if operation.has(Trait.SUMS_UP) else 1)
    if Role.DENOMINATOR in operation.operands:
        return _quotient(case)
    if operation.kind is Kind.POWER:
        return _of_power(case)
    if operation.has(Trait.MULTIPLIES_MANY):
        return _power(largest, elements)
    if operation.has(Trait.MULTIPLIES):
        return math.prod(sorted(sizes)[-2:]) * (elements if operation.has(Trait.CONTRACTS) else 1)
    if operation.has(Trait.EXPONENTIAL) or not _OF_ITS_OWN.isdisjoint(operation.operands):
        return 0.0
    return largest * max(elements, len(sizes))


def _quotient(case: Case) -> float:
    divisor = case.operand(Role.DENOMINATOR)
    assert divisor is not None
    least = smallest(case.health(divisor))
    dividends = [magnitude(case.health(k)) for k in case.numbers() if k != divisor]
    if least == 0:
        return math.inf
    return max(dividends, default=1.0) / least


def _of_power(case: Case) -> float:
    base, exponent = case.health(0), case.health(1)
    if base is None or exponent is None:
        return math.inf
    small = smallest(base)
    negative = math.inf if small == 0 else _power(1 / small, -exponent.min)
    return max(_power(magnitude(base), exponent.max), negative if exponent.min < 0 else 0.0)


def smallest(health: Health | None) -> float:
    """The smallest magnitude other than 0, as far as the statistics tell: 0 where there may be any."""
    if health is None or health.min < 0 < health.max:
        return 0.0
    if health.zero == health.size:
        return math.inf
    return 0.0 if health.zero else min(abs(health.min), abs(health.max))


def _power(base: float, exponent: float) -> float:
    # Beyond 308 digits a Python float is infinite as well.
    return math.inf if exponent * math.log10(max(base, 1.0)) > 308 else max(base, 1.0) ** exponent
