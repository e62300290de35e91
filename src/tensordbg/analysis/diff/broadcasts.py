"""Values that one run broadcasts to all pairs, as `[N, 1]` with `[N]`, where the other takes them element by element.

Frameworks do it without an error, or with a warning, so it is one of the errors that a loss is made with most often.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensordbg.analysis.diff.apart import Apart
from tensordbg.analysis.diff.numbers import SQUARES, SUM
from tensordbg.analysis.failures.beginnings.words import shape_text
from tensordbg.operations.kinds import Kind

_BY_ELEMENT = frozenset({Kind.SUBTRACT, Kind.SQUARED_DIFFERENCE, Kind.ADD, Kind.MULTIPLY, Kind.DIVIDE})
_NEAR = 1e-4
_Parts = tuple[Sequence[int], Sequence[int]]


def unlike_broadcasts(a: Apart, b: Apart, parts: _Parts) -> tuple[str, str] | None:
    """Tells which run alone broadcasts two values of what its loss is made of, and which shapes; else `None`."""
    found = [next((said for row in rows if (said := broadcast(each, row))), "")
             for each, rows in zip((a, b), parts, strict=True)]  # fmt: skip
    if bool(found[0]) == bool(found[1]):
        return None
    return ("A", found[0]) if found[0] else ("B", found[1])


def same_shape(run: str) -> str:
    """Tells how to have a run that alone broadcasts take its values in pairs."""
    return f"give both the same shape in {run}: a dimension of 1 is taken away from one, or added to the other"


def broadcast(apart: Apart, row: int) -> str:
    """Tells the shapes of two values of which an operation takes each element with each; empty where it does not."""
    side, size = apart.side, apart.side.numbers.size
    given = [each for each in side.edges.parents[row] if size[each] > 1]
    if len(given) != 2 or side.operation(row).kind not in _BY_ELEMENT:
        return ""
    sizes = [int(size[each]) for each in given]
    if size[row] == 1:
        return _shapes(apart, given) if _is_mean_of_all(apart, row, given) else ""
    return _shapes(apart, given, row) if size[row] == sizes[0] * sizes[1] else ""


def _is_mean_of_all(apart: Apart, row: int, given: list[int]) -> bool:
    """Tells whether the mean of squared differences is that of each element with each: their sums tell."""
    side = apart.side
    if side.operation(row).kind is not Kind.SQUARED_DIFFERENCE:
        return False
    told, size = side.numbers.statistics, side.numbers.size
    means, squares = ([float(told[each, column] / size[each]) for each in given] for column in (SUM, SQUARES))
    of_all = squares[0] + squares[1] - 2 * means[0] * means[1]
    return bool(np.isclose(float(told[row, SUM]), of_all, rtol=_NEAR, atol=0.0))


def _shapes(apart: Apart, given: list[int], row: int | None = None) -> str:
    """The two shapes, and the one that comes of them; a view between may have another, which is not recorded."""
    shapes = [shape_text(apart.side.shape(each)) for each in given]
    made = "" if row is None else f" to {shape_text(apart.side.shape(row))}"
    return f"{shapes[0]} with {shapes[1]}{made}"
