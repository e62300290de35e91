"""Infinities and NaN that one run makes of values that agree: the other's are finite.

What agrees within the tolerance may still lie on two sides of an edge. The smallest numbers are such: some devices
and libraries take what is too small for a normal number for 0, and its logarithm is infinite.
"""

from __future__ import annotations

from collections.abc import Iterator

from tensordbg.analysis.causes.incoming import bad_elements
from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.wording import Explained
from tensordbg.model import Health


def explain_not_finite(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Tells of a value that is not finite in one run alone, though it is made of finite ones that both have."""
    found = health_of(a, pair.a), health_of(b, pair.b)
    if found[0] is None or found[1] is None or (found[0].non_finite > 0) == (found[1].non_finite > 0):
        return None
    inputs = list(_inputs(a, b, pair))
    if not inputs or any(each.non_finite for given in inputs for each in given):
        return None
    turned = found[0].non_finite > 0
    run, other = ("A", "B") if turned else ("B", "A")
    types = a.side.site(pair.a).op_type, b.side.site(pair.b).op_type
    mine, theirs = (types[0], types[1]) if turned else (types[1], types[0])
    bad = bad_elements(found[0] if turned else found[1])
    text = f"{mine} of {run} gives {bad} where {theirs} of {other} gives finite numbers, of values that agree"
    suggestion = f"keep what goes in away from where the result is infinite, see `tdbg why` of {run}"
    for of_a, of_b in inputs:
        flushing, keeping = (of_a, of_b) if turned else (of_b, of_a)
        if keeping.subnormal and not flushing.subnormal and flushing.zero > keeping.zero:
            text += (
                f": inputs as small as {keeping.min:.4g}, below the normal numbers, are kept in {other} and taken for "
                f"0 in {run}"
            )
    return Explained("value", pair.a, pair.b, pair.distance, True, (), text, suggestion)


def health_of(apart: Apart, row: int) -> Health | None:
    """Counts of a value's elements; `None` where they were not measured."""
    event = int(apart.side.numbers.event[row])
    return apart.side.details.views([event])[event].health


def _inputs(a: Apart, b: Apart, pair: Pair) -> Iterator[tuple[Health, Health]]:
    """The counts of each value that goes into both."""
    theirs = {int(b.label[row]): row for row in b.side.edges.parents[pair.b] if b.label[row] >= 0}
    for row in a.side.edges.parents[pair.a]:
        other = theirs.get(int(a.label[row])) if a.label[row] >= 0 else None
        both = None if other is None else (health_of(a, row), health_of(b, other))
        if both is not None and both[0] is not None and both[1] is not None:
            yield both[0], both[1]
