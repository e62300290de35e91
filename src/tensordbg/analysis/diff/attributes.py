"""Differences of two operations that should compute the same: in their attributes, in the numbers they are given."""

from __future__ import annotations

import json

from tensordbg.analysis.diff.first_difference import Apart, Pair
from tensordbg.analysis.diff.numbers import LOW
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.model import NOTES

_OF_TYPE = frozenset({"T", "Tidx", "Tshape", "dtype", "DstT", "SrcT", "U", "Tparams", "Tindices"})
"""Attributes that only say of which type the numbers are."""


def attribute_differences(a: Apart, b: Apart, pair: Pair) -> tuple[AttributeDifference, ...]:
    """Tells the attributes of which both operations have a value, and not the same, then their unequal constants."""
    given_a, given_b = _attributes(a, pair.a), _attributes(b, pair.b)
    found = [
        AttributeDifference(name, given_a[name], given_b[name])
        for name in sorted(given_a.keys() & given_b.keys()) if given_a[name] != given_b[name]
    ]  # fmt: skip
    numbers_a, numbers_b = _constants(a, pair.a), _constants(b, pair.b)
    if len(numbers_a) == len(numbers_b) == 1 and not _near(numbers_a[0], numbers_b[0]):
        found.append(AttributeDifference("constant", numbers_a[0], numbers_b[0]))
    return tuple(found)


def _attributes(apart: Apart, row: int) -> dict[str, object]:
    said = json.loads(apart.side.site(row).attributes)
    return {name: value for name, value in said.items() if name not in _OF_TYPE | NOTES}


def _constants(apart: Apart, row: int) -> list[float]:
    """The single numbers that an operation is given and the other run has not, ascending."""
    side = apart.side
    return sorted(
        float(side.numbers.statistics[parent, LOW])
        for parent in side.edges.parents[row] if side.numbers.size[parent] == 1 and not side.edges.parents[parent]
    )  # fmt: skip


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b))
