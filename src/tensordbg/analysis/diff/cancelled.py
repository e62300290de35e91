"""Sums of what cancels out, so that nothing but rounding may be left of them, and what is made of such a sum alone.

So it is with the sum of what was normalized, and with a loss that is one: its value differs from run to run.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.diff.numbers import ROUNDING, SQUARES, SUM
from tensordbg.analysis.diff.side import Side
from tensordbg.operations.kinds import Kind

SUMS = frozenset({Kind.SUM, Kind.MEAN})
_SCALING = frozenset({Kind.MULTIPLY, Kind.DIVIDE, Kind.CAST, Kind.NEGATE})
_ROUNDINGS = 4.0
"""So many roundings of the sum of magnitudes may be left."""
_WALKED = 4
"""So many operations that scale a number are walked back through."""


class Cancelled:
    """The single numbers of a run of which nothing but rounding may be left."""

    def __init__(self, side: Side) -> None:
        """Takes the run."""
        self._side = side

    def bound(self, row: int) -> float:
        """Tells how large rounding may leave a number; -1 where it is larger, or not known to be such a sum."""
        bound = self.rounding(row)
        return bound if abs(self._side.numbers.statistics[row, SUM]) <= bound else -1.0

    def rounding(self, row: int) -> float:
        """Tells how far rounding may put a number that is a sum, or made of one alone; -1 of others."""
        return self._bound(row, _WALKED)

    def _bound(self, row: int, walked: int) -> float:
        side, size = self._side, self._side.numbers.size
        kind, parents = side.operation(row).kind, side.edges.parents[row]
        whole = [each for each in parents if size[each] > 1]
        if kind in SUMS and len(whole) == 1:
            magnitudes = np.sqrt(side.numbers.statistics[whole[0], SQUARES] * size[whole[0]])
            return float(_ROUNDINGS * ROUNDING["float32"] * magnitudes / (size[whole[0]] if kind is Kind.MEAN else 1))
        if kind in _SCALING and parents and not whole and walked:
            return max(self._scaled(row, each, walked) for each in parents)
        return -1.0

    def _scaled(self, row: int, parent: int, walked: int) -> float:
        """The bound of a number that is made of a sum and of a factor."""
        told = np.abs(self._side.numbers.statistics[:, SUM])
        bound = self._bound(parent, walked - 1)
        if bound < 0:
            return -1.0
        factor = float(np.prod([told[each] for each in self._side.edges.parents[row] if each != parent]))
        if self._side.operation(row).kind is not Kind.DIVIDE:
            return bound * factor
        return bound / factor if factor else -1.0
