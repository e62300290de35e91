"""Factors that one run gives to an operation as a setting and the other multiplies by before, as a learning rate."""

from __future__ import annotations

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.attributes import CONSTANT, as_written, settings_of
from tensordbg.analysis.diff.numbers import LOW
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.operations.kinds import Kind

_ALPHA = "alpha"
"""The setting by which PyTorch's sums multiply what they add."""
_NEAR = 1e-6


def unlike_factors(a: Apart, b: Apart, pair: Pair) -> tuple[AttributeDifference, ...]:
    """Tells the factors of two sums, of which one is written as a product before; nothing where they are equal."""
    factors = _factor(a, pair.a, pair.extra_a), _factor(b, pair.b, pair.extra_b)
    plain = settings_of(a, pair.a).get(_ALPHA) if pair.extra_b else settings_of(b, pair.b).get(_ALPHA)
    if None in factors or bool(pair.extra_a) == bool(pair.extra_b) or plain == 1:
        return ()
    mine, theirs = (abs(each) for each in factors if each is not None)
    if abs(mine - theirs) <= _NEAR * max(mine, theirs):
        return ()
    return (AttributeDifference(CONSTANT, as_written(mine), as_written(theirs)),)


def _factor(apart: Apart, row: int, extra: tuple[int, ...]) -> float | None:
    """By what a sum multiplies what it adds, with a product by a number that only this run computes before it."""
    side = apart.side
    factor = settings_of(apart, row).get(_ALPHA)
    if not isinstance(factor, (int, float)) or len(extra) > 1:
        return None
    for product in extra:
        numbers = [each for each in side.edges.parents[product] if side.numbers.size[each] == 1]
        if side.operation(product).kind is not Kind.MULTIPLY or len(numbers) != 1:
            return None
        factor *= float(side.numbers.statistics[numbers[0], LOW])
    return float(factor)
