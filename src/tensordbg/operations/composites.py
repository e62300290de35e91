"""Functions that a program, or a framework, writes out of smaller operations: a softmax as exponentials and a division.

Some frameworks have no softmax at all, so rules ask here whether something is one, and never for the operation alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Operation
from tensordbg.operations.traits import Trait

_BOUNDING = {Kind.ADD, Kind.CLIP, Kind.MAXIMUM, Kind.MINIMUM, Kind.MULTIPLY, Kind.MULTIPLY_NO_NAN, Kind.SELECT}
_COMBINING = {Kind.CAST, Kind.DIVIDE_NO_NAN, Kind.MAX, Kind.MEAN, Kind.MIN, Kind.NEGATE, Kind.POWER, Kind.PRODUCT}
_THROUGH = frozenset(_BOUNDING | _COMBINING | {Kind.ARGUMENT, Kind.SQUARE, Kind.SUBTRACT, Kind.SUM})
"""What may stand between a function and what it is looked for in."""

_QUOTIENTS = frozenset({Kind.DIVIDE, Kind.DIVIDE_NO_NAN})
_PRODUCTS = frozenset({Kind.MULTIPLY, Kind.MULTIPLY_NO_NAN})
_FUNCTIONS = frozenset({Kind.EXP, Kind.LOG, Kind.MATMUL, Kind.SIGMOID, Kind.SOFTMAX, Kind.SOFTPLUS, Kind.TANH})
_VANISHING = frozenset({*_PRODUCTS, *_QUOTIENTS, Kind.ADD, Kind.CAST, Kind.MEAN, Kind.PRODUCT, Kind.SUM})
"""What may stand between exponentials and what is 0 with them."""


class Computed(Protocol):
    """How a value was computed: an operation, and how each of its operands was."""

    @property
    def operation(self) -> Operation:
        """The entry of the operation."""

    @property
    def operands(self) -> Sequence[Computed]:
        """How its operands were computed, as far as that was looked for."""


def kind_of(computed: Computed) -> Kind:
    """Return the kind of what computed a value: of a function that is written out the kind of the function."""
    return _written_out(computed) or computed.operation.kind


def probability_behind(computed: Computed) -> Kind | None:
    """Return `SOFTMAX` or `SIGMOID`, whichever a value was computed with, written out or not; else `None`."""
    kind = kind_of(computed)
    if kind in (Kind.SOFTMAX, Kind.SIGMOID):
        return kind
    if kind in _PRODUCTS and all(_has_function(each) for each in computed.operands[:2]):
        return None  # it is weighted by what is computed as well, as a mixture of densities is, and not by labels
    found = map(probability_behind, computed.operands if _is_seen_through(computed, _QUOTIENTS) else ())
    return next((each for each in found if each is not None), None)


def is_of_exponentials(computed: Computed) -> bool:
    """Whether a value is a sum, a mean, a product or a multiple of exponentials, and so 0 where they are."""
    kind = computed.operation.kind
    if kind is Kind.EXP:
        return True
    if not computed.operation.has(Trait.REARRANGES) and kind not in _VANISHING:
        return False
    return any(map(is_of_exponentials, computed.operands[: 1 if kind in _QUOTIENTS else None]))


def is_product_of_probabilities(computed: Computed) -> bool:
    """Whether a value is a product of a softmax and what is computed as well, or a sum or part of such products."""
    if computed.operation.kind in _PRODUCTS:
        factors = computed.operands[:2]
        return all(map(_has_function, factors)) and any(probability_behind(each) is Kind.SOFTMAX for each in factors)
    through = computed.operation.has(Trait.REARRANGES) or computed.operation.kind in _VANISHING
    return through and any(map(is_product_of_probabilities, computed.operands))


def is_one_less_squared_tanh(computed: Computed) -> bool:
    """Whether a value is 1 - tanh(x)^2, the slope of a tanh."""
    if computed.operation.kind is not Kind.SUBTRACT:
        return False
    squares = [each for each in computed.operands if each.operation.kind in (Kind.MULTIPLY, Kind.POWER, Kind.SQUARE)]
    return any(each.operation.kind is Kind.TANH for square in squares for each in square.operands)


def _has_function(computed: Computed) -> bool:
    return computed.operation.kind in _FUNCTIONS or any(map(_has_function, computed.operands))


def _written_out(computed: Computed) -> Kind | None:
    kind, operands = computed.operation.kind, computed.operands
    if kind is Kind.EXP and any(each.operation.kind is Kind.LOG_SOFTMAX for each in operands):
        return Kind.SOFTMAX
    if kind is Kind.RECIPROCAL:
        return Kind.SIGMOID if _holds(operands[:1], Kind.EXP) and not _holds(operands[:1], Kind.SUM) else None
    if kind not in _QUOTIENTS or not _holds(operands[1:2], Kind.EXP):
        return None
    if _holds(operands[1:2], Kind.SUM):
        return Kind.SOFTMAX if _holds(operands[:1], Kind.EXP) else None
    return Kind.SIGMOID


def _holds(several: Sequence[Computed], kind: Kind) -> bool:
    return any(each.operation.kind is kind for computed in several for each in _within(computed))


def _within(computed: Computed) -> Iterator[Computed]:
    yield computed
    if _is_seen_through(computed):
        for operand in computed.operands:
            yield from _within(operand)


def _is_seen_through(computed: Computed, more: frozenset[Kind] = frozenset()) -> bool:
    operation = computed.operation
    return operation.has(Trait.REARRANGES) or operation.kind in _THROUGH or operation.kind in more
