"""Operands of which a part was written after the rest: the trace has who wrote the part in their place.

PyTorch's `x[0] = 1` leaves no tensor that is all of `x`. What takes `x` is said to take that write, and behind all
its operands what `x` was made by before. A zero that it divides by may be in either.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from tensordbg.analysis.causes.case import Case
from tensordbg.analysis.finding import InputView
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

T = TypeVar("T")
_OF_ONE = frozenset({Kind.LOG_SOFTMAX, Kind.SOFTMAX})


def with_rest(case: Case) -> Iterator[tuple[str, Case]]:
    """The case with the rest of an operand in the place of who wrote a part of it, and the name of that write."""
    count = _operands(case)
    rest = range(count, len(case.inputs)) if count else range(0)
    for k in range(min(count, len(case.inputs))):
        if any(_size(case.inputs[k]) < _size(case.inputs[each]) for each in rest):
            yield from ((case.name(k), _exchanged(case, k, each)) for each in rest)


def _operands(case: Case) -> int:
    """How many operands a function of numbers has; 0 where it isn't known."""
    operation = case.operation
    if operation.has(Trait.NORMALISES):
        return 0
    if operation.kind is Kind.POWER:
        return 2
    if operation.operands:
        return 1 + max(operation.operands.values())
    if operation.domains:
        return 1 + max(domain.operand for domain in operation.domains)
    return int(operation.has(Trait.EXPONENTIAL) or operation.kind in _OF_ONE)


def _size(given: InputView) -> int:
    health = None if given.recorded is None else given.recorded.health
    return 0 if health is None else health.size


def _exchanged(case: Case, k: int, other: int) -> Case:
    """The case with two of its inputs exchanged."""
    order = list(range(len(case.inputs)))
    order[k], order[other] = other, k

    def of(several: tuple[T, ...]) -> tuple[T, ...]:
        return tuple(several[each] for each in order) if len(several) == len(order) else several

    return replace(
        case,
        inputs=of(case.inputs),
        behind=of(case.behind),
        positions=of(case.positions),
        unwritten=of(case.unwritten),
        pasts=of(case.pasts),
    )
