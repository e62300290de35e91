"""Causes within an optimizer's update of a variable in one operation, such as `ResourceApplyAdam`.

The operation keeps means of gradients and of their squares. What became of them is read behind it in functions and
eager code; in sessions it follows from the gradients that it was given, step by step, and from its epsilon.
"""

from __future__ import annotations

from tensordbg.analysis.causes.case import HALF, Case, all_finite, magnitude, number, of_elements, vanishing
from tensordbg.analysis.finding import InputView, TensorView
from tensordbg.analysis.program.optimizers import Update, update_of

_CLOSE = 0.99


def _operand(case: Case, position: int) -> int | None:
    """Which input stands at a position of the operation."""
    return case.positions.index(position) if position >= 0 and position in case.positions else None


def _gradient(case: Case) -> tuple[Update, int] | None:
    update = update_of(case.op_type)
    k = _operand(case, update.gradient) if update is not None else None
    return (update, k) if update is not None and k is not None else None


def squared_beyond(case: Case, limit: float) -> TensorView | None:
    """The first gradient whose square is beyond a limit, of an optimizer that squares them; the gradient is finite."""
    found = _gradient(case)
    if found is None or not found[0].squares:
        return None
    k = found[1]
    given: InputView = case.inputs[k]
    views = [*(case.pasts[k] if k < len(case.pasts) else ()), *([given.recorded] if given.recorded else [])]
    finite = [view for view in views if view.health is not None and not view.health.non_finite]
    return next((view for view in finite if magnitude(view.health) ** 2 > _CLOSE * limit), None)


def overflowing_gradient(case: Case) -> TensorView | None:
    """The gradient whose square was beyond the largest number of its type."""
    return squared_beyond(case, case.largest)


def explain_square(case: Case) -> str:
    """Says in which step the mean of squares became infinite."""
    gradient, found = overflowing_gradient(case), _gradient(case)
    assert gradient is not None
    assert found is not None
    behind = case.view.step - gradient.step
    before = f"{behind} step{'s' if behind > 1 else ''} before, " if behind > 0 else ""
    name, largest = case.name(found[1]), number(magnitude(gradient.health))
    return (
        f"{case.op_type} keeps the squares of gradients. In step {gradient.step}, {before}{name} went up to {largest}, "
        f"whose square is beyond {number(case.largest)}, the largest number of {case.view.dtype}; from then on the "
        "mean of squares is infinite, and what is computed with it has no value."
    )


def is_without_epsilon(case: Case) -> bool:
    """Whether an update divided by the root of a mean of squares that was 0, with nothing added to it."""
    found = _gradient(case)
    if found is None or overflowing_gradient(case) is not None or not case.output.non_finite:
        return False
    update, k = found
    gradient = case.health(k)
    if gradient is None or not all_finite(case.healths()):
        return False
    epsilon = _operand(case, update.epsilon)
    if update.epsilon >= 0 and (epsilon is None or not vanishing(case.health(epsilon), case.view.dtype)):
        return False
    return bool(gradient.zero) or _squares_vanish(case, k)


def _squares_vanish(case: Case, k: int) -> bool:
    """Whether the square of the gradient may be smaller than the smallest number of the type."""
    gradient = case.health(k)
    return case.view.dtype in HALF and gradient is not None and min(abs(gradient.min), abs(gradient.max)) < 1e-3


def explain_epsilon(case: Case) -> str:
    """Says what was divided by 0."""
    found = _gradient(case)
    assert found is not None
    update, k = found
    gradient = case.health(k)
    assert gradient is not None
    epsilon = _operand(case, update.epsilon)
    if epsilon is None:
        small = f"{case.op_type} has no epsilon, and its accumulator started at 0"
    else:
        lost = ": in this type smaller numbers than 6e-8 are 0" if case.view.dtype == "float16" else ""
        small = f"The epsilon of this {case.op_type}, {case.name(epsilon)}, is 0 in {case.view.dtype}{lost}"
    if gradient.zero:
        zeros = of_elements(gradient.zero, gradient.size)
        where = f"Where the gradient is 0 ({case.name(k)}: {zeros})"
        return f"{small}. {where} the root of its mean square is too; 0/0 is NaN."
    smallest = number(min(abs(gradient.min), abs(gradient.max)))
    return (
        f"{small}. {case.name(k)} goes down to {smallest}, whose square is 0 in {case.view.dtype}; division by its "
        "root gives an infinity."
    )


def fix_epsilon(case: Case) -> str:
    """Says how to have an epsilon that counts."""
    update = update_of(case.op_type)
    if update is not None and update.epsilon < 0:
        return case.fix("division_by_zero", "accumulator")
    return case.fix("division_by_zero", "epsilon_half" if case.view.dtype in HALF else "epsilon")
