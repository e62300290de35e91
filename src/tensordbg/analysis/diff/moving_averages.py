"""Running means that a run writes out, as Keras's batch normalization: a share of the old, and the rest of the new.

The two numbers add up to 1, and the one by which what was kept is multiplied is the momentum.
"""

from __future__ import annotations

from collections.abc import Iterator

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.attributes import as_written
from tensordbg.analysis.diff.numbers import SUM
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.analysis.diff.wording import Explained, attributes_text, settings_to_set
from tensordbg.operations.kinds import Kind

_MOMENTUM = "momentum"
_SUMS = frozenset({Kind.ADD, Kind.ASSIGN_ADD})
_NEAR, _DIGITS = 1e-5, 7


def explain_running_mean(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Tells of two running means of equal values that keep unlike shares of the old."""
    kept = _share_kept(a, pair.a), _share_kept(b, pair.b)
    if kept[0] is None or kept[1] is None or abs(kept[0] - kept[1]) <= _NEAR:
        return None
    difference = (AttributeDifference(_MOMENTUM, *(as_written(each) for each in kept)),)
    text = (
        f"equal values go into a running mean, and unlike shares are kept of the old one: {attributes_text(difference)}"
    )
    return Explained("update", pair.a, pair.b, pair.distance, True, difference, text, settings_to_set(difference))


def _share_kept(apart: Apart, row: int) -> float | None:
    """The number by which the old mean is multiplied, where a value is a share of the old or the new, or their sum."""
    side = apart.side
    sums = [row, *side.edges.children[row]]
    shares = (share for each in sums if side.operation(each).kind in _SUMS for share in _shares(apart, each))
    return next(shares, None)


def _shares(apart: Apart, row: int) -> Iterator[float]:
    """The share of what was kept in a sum of two products by numbers that add up to 1."""
    parents = apart.side.edges.parents[row]
    if len(parents) != len(("old", "new")):
        return
    (of_one, one), (of_other, other) = (_product(apart, each) for each in parents)
    if one is None or other is None or abs(one + other - 1) > _NEAR:
        return
    read = [_is_kept(apart, each) for each in (of_one, of_other)]
    if read[0] != read[1]:
        yield one if read[0] else other


def _product(apart: Apart, row: int) -> tuple[int, float | None]:
    """A value and the number by which a product multiplies it."""
    side, size = apart.side, apart.side.numbers.size
    parents = side.edges.parents[row]
    single = [each for each in parents if size[each] == 1 and not side.edges.parents[each]]
    whole = [each for each in parents if each not in single]
    if side.operation(row).kind is not Kind.MULTIPLY or len(single) != 1 or len(whole) != 1:
        return row, None
    return whole[0], round(float(side.numbers.statistics[single[0], SUM]), _DIGITS)


def _is_kept(apart: Apart, row: int) -> bool:
    """Whether a value is what a variable held."""
    return apart.side.operation(row).kind is Kind.READ
