"""Normalizations of one value by its batch in one run, and by what was kept in the other, which writes them out.

The first forks at the value and the second at what was kept, so that the two forks are given nothing in common; and
neither corresponds to any other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Both, Pair
from tensordbg.analysis.diff.normalizations import unlike_normalizations
from tensordbg.operations.kinds import Kind

_SCALING = frozenset({Kind.MULTIPLY, Kind.SUBTRACT})
"""What is computed of a value first, where its normalization is written out."""
_LOOKED_AT = 16
"""So many forks are looked at, and so many values for each."""


def normalizations_apart(a: Apart, b: Apart) -> list[Pair]:
    """Pairs a normalization that is one operation with what the other run computes of the same value, in one training.

    Nothing where no setting of the two is known to differ.
    """
    sides = (Both(a, b), Both(b, a, turned=True))
    pairs = (both.pair(fork, row) for both in sides for fork in _forks(both.mine) for row in _beside(both, fork))
    return next(([pair] for pair in pairs if unlike_normalizations(a, b, pair) is not None), [])


def _forks(apart: Apart) -> list[int]:
    side = apart.side
    whole = (
        fork for fork in apart.regions.forks if side.operation(fork).kind is Kind.NORMALISE and not side.slot(fork)
    )
    return [fork for fork in whole if not (side.kept[fork] or side.backward[fork])][:_LOOKED_AT]


def _beside(both: Both, fork: int) -> Iterator[int]:
    """What the other run computes of the value that is normalized, with its parameters in the same state."""
    mine, other = both.mine.side, both.other.side
    data = [each for each in mine.edges.parents[fork] if mine.numbers.size[each] == mine.numbers.size[fork]]
    labels = [int(both.mine.label[each]) for each in data if both.mine.label[each] >= 0]
    given = np.flatnonzero(np.isin(both.other.label, labels) & (other.time == mine.time[fork]))
    found = (child for each in given.tolist() for child in both.other.followed(each))
    scaled = (row for row in found if other.operation(row).kind in _SCALING and not other.backward[row])
    yield from list(scaled)[:_LOOKED_AT]
