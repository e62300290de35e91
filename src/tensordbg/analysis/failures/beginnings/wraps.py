"""Whole numbers that went round: an operation whose result does not fit into its type gives another number instead.

It is told by the smallest and largest numbers and the sum of what went in and came out, as arithmetic without an end
would have them. Of what may have been taken in part, as a view shows a part of a tensor, only what holds of each part
counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.operations.kinds import Kind

_EXACT = 2.0**52
"""Sums below this are exact in double precision."""
_LARGE = 2.0**62
"""Beyond this a double can't tell neighbouring whole numbers well enough."""

_FACTOR = "alpha"
"""The setting by which PyTorch multiplies what it adds or subtracts."""

_WIDTH = {f"{kind}{bits}": (kind, bits) for kind in ("int", "uint") for bits in (8, 16, 32, 64)}


JUDGED = frozenset(
    {
        *(Kind.ABSOLUTE, Kind.ADD, Kind.CAST, Kind.CUMULATIVE_SUM, Kind.MULTIPLY, Kind.NEGATE),
        *(Kind.SQUARE, Kind.SUBTRACT, Kind.SUM),
    }
)
"""The kinds of operations of which it can be told."""


def is_whole(dtype: str) -> bool:
    """Whether a type holds whole numbers."""
    return dtype in _WIDTH


def wrapped(made: Made, inputs: Sequence[Made | None]) -> bool:
    """Whether an operation gave whole numbers that can't be what it computes of what it was given."""
    if made.dtype not in _WIDTH or made.low is None or made.high is None:
        return False
    known = [each for each in inputs if each is not None and each.low is not None and each.high is not None]
    if len(known) != len(inputs) or not all(_is_small(each) for each in known):
        return False
    if made.operation.kind is Kind.CAST and len(known) == 1:
        return _are_whole(made, *known) and _of_cast(made, known[0])
    if made.operation.kind in (Kind.SUM, Kind.CUMULATIVE_SUM) and known:
        return not (known[0].shared and len(known) > 1) and _of_many(made, known[0])
    if any(each.dtype != made.dtype and not each.plain for each in known):
        return False
    if made.operation.kind in (Kind.ADD, Kind.MULTIPLY, Kind.SUBTRACT) and len(known) == 2:
        return _of_either(made, *known)
    if made.operation.kind is Kind.SQUARE and len(known) == 1:
        largest = max(_low(known[0]) ** 2, _high(known[0]) ** 2)
        return _high(made) != largest if _are_whole(made, *known) else not 0 <= _low(made) <= _high(made) <= largest
    if made.operation.kind in (Kind.ABSOLUTE, Kind.NEGATE) and len(known) == 1 and made.dtype.startswith("int"):
        return _low(known[0]) == _least(made.dtype) and (_are_whole(made, *known) or _low(made) == _least(made.dtype))
    return False


def _of_either(made: Made, a: Made, b: Made) -> bool:
    """What two gave, by any way in which they may have been put together: PyTorch has a subtraction from behind too."""
    if made.attributes.get(_FACTOR, 1) != 1:
        return False
    whole = _are_whole(made, a, b)
    backwards = made.operation.kind is Kind.SUBTRACT and (a.shared or b.shared)
    return _of_two(made, a, b, whole) and not (backwards and not _of_two(made, b, a, whole))


def _are_whole(made: Made, *given: Made) -> bool:
    """Whether an operation on each element was certainly given whole tensors.

    Of two that may be parts it is certain of two numbers alone, or of one with a tensor of the result's size: `x -
    x[0]` has the size of `x`.
    """
    several = [each for each in given if not each.plain]
    if not any(each.shared for each in several):
        return True
    return len(several) == 1 and several[0].size == made.size


def _of_many(made: Made, given: Made) -> bool:
    """All sums together are the sum of all; and sums of numbers that are not negative only grow."""
    if made.dtype != given.dtype or not given.size:
        return False
    if _low(given) >= 0 and _low(made) < 0:
        return True
    if given.shared or made.operation.kind is Kind.CUMULATIVE_SUM:  # it may leave out the last
        return False
    if _low(given) >= 0 and _high(made) < _high(given):
        return True
    totals = (made.total, given.total)
    exact = all(total is not None and abs(total) < _EXACT for total in totals) and _is_exact(given)
    return exact and made.total != given.total


def _is_exact(given: Made) -> bool:
    """Whether the sum of the elements' magnitudes was computed without rounding."""
    return (given.size or 0) * max(abs(_low(given)), abs(_high(given))) < _EXACT


def _of_cast(made: Made, given: Made) -> bool:
    """Numbers beyond what the type holds; of a number with a fraction what is before the point counts."""
    return int(_high(given)) > _greatest(made.dtype) or int(_low(given)) < _least(made.dtype)


def _of_two(made: Made, a: Made, b: Made, whole: bool) -> bool:
    """Each element of the one meets some of the other, so the largest result is at least this, and at most that."""
    if made.operation.kind is Kind.MULTIPLY:
        if _low(a) < 0 or _low(b) < 0:
            corners = [x * y for x in (_low(a), _high(a)) for y in (_low(b), _high(b))]
            return not min(corners) <= _low(made) <= _high(made) <= max(corners)
        least_high = max(_high(a) * _low(b), _low(a) * _high(b)) if whole else 0.0
        return _high(made) < least_high or _high(made) > _high(a) * _high(b) or _low(made) < _low(a) * _low(b)
    sign = -1 if made.operation.kind is Kind.SUBTRACT else 1
    low, high = sorted((sign * _low(b), sign * _high(b)))
    within = _low(a) + low <= _low(made) and _high(made) <= _high(a) + high
    if not whole:
        return not within
    reached = _high(made) >= max(_high(a) + low, _low(a) + high) and _low(made) <= min(_low(a) + high, _high(a) + low)
    return not (within and reached) or _sum_is_wrong(made, a, b, sign)


def _sum_is_wrong(made: Made, a: Made, b: Made, sign: int) -> bool:
    """Whether the sum of all results is not that of what was added, one of which may be a single number."""
    size = made.size
    if None in (size, made.total, a.total, b.total) or not size:
        return False
    parts = []
    for each in (a, b):
        if each.size == size:
            parts.append(each.total or 0.0)
        elif each.size == 1:
            parts.append((each.total or 0.0) * size)
        else:
            return False
    total = parts[0] + sign * parts[1]
    exact = all(abs(part) < _EXACT for part in (*parts, total)) and size * _greatest(made.dtype) < _EXACT
    return exact and total != made.total


def _is_small(made: Made) -> bool:
    return max(abs(_low(made)), abs(_high(made))) < _LARGE


def _low(made: Made) -> float:
    return 0.0 if made.low is None else made.low


def _high(made: Made) -> float:
    return 0.0 if made.high is None else made.high


def _greatest(dtype: str) -> int:
    kind, bits = _WIDTH[dtype]
    return int(2 ** (bits - (kind == "int")) - 1)


def _least(dtype: str) -> int:
    kind, bits = _WIDTH[dtype]
    return -int(2 ** (bits - 1)) if kind == "int" else 0
