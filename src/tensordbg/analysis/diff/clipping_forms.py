"""Forms of clipping: by the values of gradients, by the norm of each, or by that of all, and to which limit.

Frameworks write each of them otherwise. It shows in what is computed: an extreme that is taken of a gradient, or of how
many gradients the number is measured by which one is scaled; what comes out has the limit as its largest or its norm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.diff.apart import Apart, distance_of
from tensordbg.analysis.diff.clipped import CLEARLY, scaled_gradients
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.numbers import HIGH, LOW, SQUARES
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.analysis.diff.wording import CLIPPING, NO_CLIPPING
from tensordbg.operations.kinds import Kind

_OF_VALUES, _OF_EACH, _OF_ALL = "values", "norm of each gradient", "norm of all gradients"
_EXTREMES = frozenset({Kind.CLIP, Kind.MAXIMUM, Kind.MINIMUM})
_WALKED = 400
"""So many values are walked back through from what is measured to the gradients."""
_ROUGHLY = 1e-3
_ROUND = 1e-4
"""Frameworks add a small number to the norm that they divide by."""


@dataclass(frozen=True)
class Clipping:
    """A form of clipping that had an effect in a step."""

    form: str
    limit: float

    @property
    def is_sure(self) -> bool:
        """Whether nothing else is likely to have scaled the gradients: limits are round, other norms not."""
        return self.form == _OF_VALUES or math.isclose(self.limit, float(f"{self.limit:.2g}"), rel_tol=_ROUND)

    def __str__(self) -> str:
        return f"{self.form} up to {self.limit:.3g}"


def unlike_clipping(a: Apart, b: Apart, step: int) -> tuple[AttributeDifference, ...]:
    """Tells how two runs clip the gradients of a step, where each does it otherwise, or only one does."""
    found = clipping_of(a, step), clipping_of(b, step)
    told = [each for each in found if each is not None]
    if not told or (len(told) == 1 and not told[0].is_sure):
        return ()
    if (
        len(told) == 2
        and told[0].form == told[1].form
        and math.isclose(*(each.limit for each in told), rel_tol=_ROUGHLY)
    ):
        return ()
    return (AttributeDifference(CLIPPING, *(NO_CLIPPING if each is None else str(each) for each in found)),)


def clipping_of(apart: Apart, step: int) -> Clipping | None:
    """Finds the clipping of a step: by a norm, else by values."""
    return _by_norm(apart, step) or _by_values(apart, step)


def _by_norm(apart: Apart, step: int) -> Clipping | None:
    side, squares, behind = apart.side, dict[int, float](), dict[int, int]()
    for row, measured, gradient in scaled_gradients(apart):
        if side.numbers.step[row] == step and gradient not in squares:
            squares[gradient] = float(side.numbers.statistics[row, SQUARES])
            behind[gradient] = _gradients_behind(apart, measured)
    if not squares:
        return None
    of_all = max(behind.values()) > 1
    norms = math.fsum(squares.values()) if of_all else max(squares.values())
    return Clipping(_OF_ALL if of_all else _OF_EACH, math.sqrt(norms))


def _gradients_behind(apart: Apart, measured: int) -> int:
    """Counts the gradients that a number is measured of."""
    side = apart.side

    def back(row: int) -> tuple[int, ...]:
        return side.edges.parents[row] if side.updates[row] else ()

    return sum(bool(side.backward[row]) for row in reached(measured, back, _WALKED))


def _by_values(apart: Apart, step: int) -> Clipping | None:
    side, size, found = apart.side, apart.side.numbers.size, list[float]()
    for row in np.flatnonzero(side.updates & (side.numbers.step == step) & (size > 1)).tolist():
        given = [each for each in side.edges.parents[row] if size[each] > 1]
        gradient = given[0] if len(given) == 1 and side.operation(row).kind in _EXTREMES else None
        if gradient is None or not side.backward[gradient]:
            continue
        last = _last_extreme(apart, row)
        if distance_of(apart, apart, last, gradient) > CLEARLY:
            low, high = side.numbers.statistics[last, [LOW, HIGH]].tolist()
            found.append(max(abs(low), abs(high)))
    return Clipping(_OF_VALUES, max(found)) if found else None


def _last_extreme(apart: Apart, row: int) -> int:
    """The other extreme of a value, where one operation takes the largest and another the smallest."""
    side = apart.side
    following = (each for each in side.edges.children[row] if side.operation(each).kind in _EXTREMES)
    return next((each for each in following if side.updates[each]), row)
