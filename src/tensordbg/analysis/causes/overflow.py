"""Results beyond the largest number that a type can hold."""

from __future__ import annotations

import math

from tensordbg.analysis.causes.case import (
    HALF,
    Case,
    Cause,
    Jump,
    all_finite,
    infinite,
    largest_of,
    magnitude,
    number,
    some_of,
)
from tensordbg.analysis.causes.magnitudes import (
    bound,
    exponent,
    exponential_limit,
    exponential_overflows,
    may_overflow,
)
from tensordbg.analysis.causes.updates import (
    explain_square,
    overflowing_gradient,
    squared_beyond,
)
from tensordbg.analysis.program.operations import named
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Role
from tensordbg.operations.traits import Trait

_CLOSE = 0.99
"""The statistics of half-precision numbers are rounded; a number this close to the limit counts as beyond it."""


def _divides(case: Case) -> bool:
    return case.operand(Role.DENOMINATOR) is not None


def _updates_beyond(case: Case) -> bool:
    """Whether a variable by reference, whose update puts it out, went beyond the limit: all was finite before."""
    return case.operation.has(Trait.BUILDS_ON_OLD) and all_finite(case.healths()) and infinite(case.output) > 0


def _arithmetic_overflows(case: Case) -> bool:
    return overflowing_gradient(case) is not None or case.written or _updates_beyond(case) or may_overflow(case)


def _grew(case: Case) -> str:
    """A sentence on where the numbers had grown."""
    jump = case.jump
    if jump is None:
        return ""
    place = f" ({jump.place})" if jump.place else ""
    if jump.updated and math.isnan(jump.before):
        return f" The variable {jump.tensor} had been set to numbers up to {number(jump.after)}{place}."
    if jump.updated:
        return (
            f" The variable {jump.tensor} had grown from {number(jump.before)} to {number(jump.after)} in one update, "
            f"in step {jump.step}{place}.{_fed(case)}{_raised(case)}"
        )
    if math.isnan(jump.before):
        row = _row_of(case, jump)
        return f" {jump.tensor} came in from outside with numbers up to {number(jump.after)}{place}{row}."
    return (
        f" They grew most in {jump.tensor}, from {number(jump.before)} to {number(jump.after)} at once, in step "
        f"{jump.step}{place}."
    )


def _row_of(case: Case, jump: Jump) -> str:
    """Which row of a batch went beyond the limit, where some of them only did, each of which is of a row of data."""
    shape, data, index = case.view.shape, jump.shape, case.first_bad_index
    if case.gradient or not shape or not data or not index or shape[0] != data[0]:
        return ""
    some = shape[0] > 1 and case.output.non_finite <= case.output.size - case.output.size // shape[0]
    return f"; row {index[0]} is the first whose result is beyond the limit" if some else ""


def _fed(case: Case) -> str:
    if case.data is None:
        return ""
    return f" {case.data.tensor} holds numbers up to {number(case.data.magnitude)}, so gradients are large."


def _raised(case: Case) -> str:
    if case.raised is None:
        return ""
    return f" The learning rate went {case.raised.words}, and then the numbers began to grow."


def _fix_raised(case: Case) -> str:
    assert case.raised is not None
    return case.fix("raised_rate", before=number(case.raised.before), after=number(case.raised.after))


def _fix_jump(case: Case) -> str:
    jump = case.jump
    if jump is None:
        return ""
    if jump.updated and case.raised is not None:
        return _fix_raised(case) + " "
    if jump.updated:
        return case.fix("jump", "set" if math.isnan(jump.before) else "unscaled" if case.data else "update")
    if math.isnan(jump.before):
        return case.fix("jump", "given")
    return case.fix("jump", "made", name=jump.tensor.removesuffix(":0")) if jump.after > 1e6 else ""


def _of_exponentials(case: Case) -> int | None:
    """Which input holds exponentials whose sum goes beyond the limit; None where it is another sum or none."""
    if not case.operation.has(Trait.ADDS, Trait.SUMS_UP) or case.gradient or not may_overflow(case):
        return None
    made = ((k, named("".join(case.made_by(k)[-1:]))) for k in case.numbers())
    found = [k for k, operation in made if operation.has(Trait.EXPONENTIAL)]
    return max(found, key=lambda k: magnitude(case.health(k)), default=None)


def _exponentials_overflow(case: Case) -> bool:
    return exponential_overflows(case) or _of_exponentials(case) is not None


def _diverges(case: Case) -> bool:
    if _of_exponentials(case) is not None:
        return False
    return case.growth is not None and (_arithmetic_overflows(case) or exponential_overflows(case))


def _explain_divergence(case: Case) -> str:
    growth = case.growth
    assert growth is not None
    return (
        f"The magnitude of {growth.tensor} grew {growth.unit} by {growth.unit}: {some_of(growth.magnitudes)}; in the "
        f"end the result was beyond {number(case.largest)}, the largest number of {case.view.dtype}."
        + (_grew(case) if _updated_in_loop(case) else GIVEN if growth.given else _fed(case) + _raised(case))
    )


def _updated_in_loop(case: Case) -> bool:
    """Whether a loop enlarges its state since an update enlarged what it multiplies with."""
    in_loop = case.growth is not None and case.growth.unit != "step"
    return in_loop and case.jump is not None and case.jump.updated and not math.isnan(case.jump.before)


def _fix_divergence(case: Case) -> str:
    if case.growth is not None and case.growth.given:
        return case.fix("growing_values", "given")
    if _updated_in_loop(case):
        return _fix_jump(case).rstrip()
    if case.growth is not None and case.growth.unit != "step":
        return case.fix(DIVERGES, "loop_gradient" if case.gradient else "loop")
    if case.raised is not None:
        return _fix_raised(case)
    return case.fix(DIVERGES, "unscaled" if case.data else "")


def _half_overflows(case: Case) -> bool:
    """Whether float32 would have held the result."""
    if squared_beyond(case, largest_of("float32")) is None and squared_beyond(case, case.largest) is not None:
        return case.view.dtype in HALF
    if case.view.dtype not in HALF:
        return False
    if case.operation.has(Trait.EXPONENTIAL):
        return exponential_overflows(case) and exponent(case) < exponential_limit("float32")
    if _divides(case):  # the smallest float16 is far above the smallest float32
        return may_overflow(case) and case.view.dtype == "float16"
    return may_overflow(case) and bound(case) < largest_of("float32")


def _largest_input(case: Case) -> float:
    return max((magnitude(health) for health in case.healths()), default=0.0)


def _explain_half(case: Case) -> str:
    if overflowing_gradient(case) is not None:
        return f"{explain_square(case)} In float32 it would be finite.{_grew(case)}"
    if _divides(case):
        return (
            f"The divisor is so close to 0 that the quotient is beyond {number(case.largest)}, the largest number of "
            f"{case.view.dtype}. In float32 it would be finite."
        )
    return (
        f"The inputs go up to {number(_largest_input(case))}; the result is beyond {number(case.largest)}, the "
        f"largest number of {case.view.dtype}. In float32 it would be finite.{_grew(case)}"
    )


def _fix_half(case: Case) -> str:
    return case.fix(HALF_OVERFLOWS)


def _explain_exponential(case: Case) -> str:
    if (k := _of_exponentials(case)) is not None:
        return (
            f"The exponentials in {case.name(k)} go up to {number(magnitude(case.health(k)))}, and their sum is beyond "
            f"{number(case.largest)}, the largest number of {case.view.dtype}."
        )
    limit = f"{exponential_limit(case.view.dtype):.2f}, the largest number whose exponential {case.view.dtype} can hold"
    if case.health(0) is None:
        return f"{case.name(0)} exceeds {limit}."
    return f"The largest element of {case.name(0)}, {number(exponent(case))}, exceeds {limit}.{_grew(case)}"


def _fix_exponential(case: Case) -> str:
    if _of_exponentials(case) is not None:
        return case.fix("exp_overflow")
    return _fix_jump(case) + case.fix("exp_overflow")


def _cast_overflows(case: Case) -> bool:
    given = case.health(0)
    beyond = given is None or magnitude(given) > _CLOSE * case.largest
    return case.operation.kind is Kind.CAST and case.output.non_finite > 0 and beyond


def _explain_cast(case: Case) -> str:
    recorded = case.inputs[0].recorded if case.inputs else None
    limit = f"the largest number of {case.view.dtype} is {number(case.largest)}"
    if recorded is None:
        return f"{case.name(0)} went beyond the range of the new type; {limit}."
    return f"{case.name(0)}, {recorded.dtype}, goes up to {number(magnitude(recorded.health))}; {limit}."


def _fix_cast(case: Case) -> str:
    return case.fix("cast_overflow")


def _explain_arithmetic(case: Case) -> str:
    limit = f"{number(case.largest)}, the largest number of {case.view.dtype}"
    if overflowing_gradient(case) is not None:
        return explain_square(case) + _grew(case)
    if case.written:
        name = f"the variable {case.variable}" if case.variable else "the variable"
        return (
            f"What was written and {name} itself were finite before; the update went beyond {limit}, or has no value."
            f"{_grew(case)}"
        )
    named = [(case.name(k), case.health(k)) for k in case.numbers()]
    sizes = ", ".join(f"{name} up to {number(magnitude(health))}" for name, health in named[:3] if health is not None)
    what = "the quotient by a divisor close to 0" if _divides(case) else "the result"
    return f"The inputs are finite ({sizes}), but {what} is beyond {limit}.{_grew(case)}"


def _fix_arithmetic(case: Case) -> str:
    if overflowing_gradient(case) is not None:
        return _fix_jump(case) or case.fix("arithmetic_overflow", "squares")
    if case.written or _updates_beyond(case):
        return case.fix("arithmetic_overflow", "update")
    if _divides(case):
        return case.fix("arithmetic_overflow", "divisor")
    return _fix_jump(case).rstrip() or case.fix("arithmetic_overflow")


HALF_OVERFLOWS = "half_precision_overflow"
"""The cause of what only a type of 16 bits can't hold."""

OVERFLOWS = frozenset({"arithmetic_overflow", "cast_overflow", "exp_overflow", HALF_OVERFLOWS})
"""Causes for which it is worth to know where the numbers grew."""

GIVEN = " It is made of what the program passes in, and of no variable: what comes in grows, not the model."

DIVERGES = "diverging_values"
"""The cause of what grew little by little."""

CAUSES = (
    Cause("cast_overflow", _cast_overflows, _explain_cast, _fix_cast),
    Cause(DIVERGES, _diverges, _explain_divergence, _fix_divergence),
    Cause(HALF_OVERFLOWS, _half_overflows, _explain_half, _fix_half),
    Cause("exp_overflow", _exponentials_overflow, _explain_exponential, _fix_exponential),
    Cause("arithmetic_overflow", _arithmetic_overflows, _explain_arithmetic, _fix_arithmetic),
)
