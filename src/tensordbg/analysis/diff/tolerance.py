"""How far apart two values may be and still be equal: as the values that match in the two runs say themselves.

They say it only as far as the runs are equal. Behind a small difference, such as that of another approximation, all
values are a little apart, and would make a tolerance under which nothing differs. So a value that is much farther
apart than those before it, and yet near, speaks neither for itself nor for what is made from it.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.diff.edges import Edges
from tensordbg.analysis.diff.numbers import Floats

_SURELY, _SURELY_NEAR = 200.0, 0.02
"""Two values so many roundings apart, the nearest to each other, are taken as equal to learn from them; the second
number is the bound for types of so few digits that roundings would allow anything."""
_ROOM = 10.0
"""So many times the distance of nearly all of those is allowed."""
_LEAST, _LEAST_FAR = 16.0, 0.01
"""In roundings, the lower bound of what is found."""
_LEAST_OF_EQUAL, _LEAST_OF_EQUAL_FAR = 4.0, 0.002
"""The lower bound where nearly all values are equal to the bit, as in two runs of one framework."""
_MOST, _MOST_FAR = 400.0, 0.05
"""The upper bound."""
_NEAR = 1e-2
"""Values that are farther apart are hardly the same one, computed with a small difference."""
_PIECE = 64
"""After so many values the tolerance is learned anew, later after a quarter more."""


def tolerance_of(distance: Floats, edges: Edges, rounding: float, *, one_precision: bool = True) -> float:
    """Finds the tolerance from the distances of the nearest pairs.

    Args:
        distance: Of each value of a run to its partner, in the order of the run.
        edges: The data flow of that run.
        rounding: The coarser of the roundings of the two runs.
        one_precision: Whether both runs have that. Else values that are equal to the bit were computed in the finer one
            by both, and say nothing of the others.

    Returns:
        Ten times what nine of ten equal values are apart; at least 16 roundings (4 where most
        are equal to the bit), at most 400.
    """
    jumps = np.zeros(len(distance), dtype=np.bool_)
    first = 0
    while first < len(distance):
        piece = slice(first, max(first + _PIECE, first * 5 // 4))
        bound = _learned(distance[:first], rounding, one_precision)
        jumps[piece] = (distance[piece] > bound) & (distance[piece] < _NEAR)
        first = piece.stop
    return _learned(distance[~edges.spread(jumps)], rounding, one_precision)


def _learned(distance: Floats, rounding: float, one_precision: bool) -> float:
    sure = distance[distance < min(_SURELY * rounding, _SURELY_NEAR)]
    usual = float(np.quantile(sure, 0.9)) if len(sure) else 0.0
    least = min(_LEAST * rounding, _LEAST_FAR)
    if len(sure) and not usual and one_precision:
        least = min(_LEAST_OF_EQUAL * rounding, _LEAST_OF_EQUAL_FAR)
    return float(np.clip(_ROOM * usual, least, min(_MOST * rounding, _MOST_FAR)))
