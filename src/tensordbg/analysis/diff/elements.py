"""Compares two values element by element, where the elements of both were kept: the error is measured, not inferred."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.diff.result import Measured
from tensordbg.analysis.diff.side import Side

Array = npt.NDArray[Any]

_MOST_ELEMENTS = 20_000_000
"""Values larger than this are told by their statistics alone."""
_MOST_ORDERS = 120
"""So many orders of axes are tried: those of five."""
_EXACTLY = 1e-6
"""An order of the axes in which the values are so near, beside their largest element, is the right one."""


def measure(a: Side, row_a: int, b: Side, row_b: int) -> Measured | None:
    """Compares the elements of two values; `None` where those of either were not kept, or their numbers are unequal."""
    size = int(a.numbers.size[row_a])
    if size != b.numbers.size[row_b] or size > _MOST_ELEMENTS:
        return None
    mine, theirs = (side.details.elements(int(side.numbers.event[row])) for side, row in ((a, row_a), (b, row_b)))
    return None if mine is None or theirs is None else compare_elements(mine, theirs)


def compare_in_order(mine: Array, theirs: Array) -> Measured:
    """Compares two arrays of one size element by element, in the order in which each has them."""
    mine = _wide(mine)
    return _measured(mine, _wide(theirs).reshape(mine.shape))


def compare_elements(mine: Array, theirs: Array) -> Measured:
    """Compares two arrays of one size, B's with its axes in the order in which it is nearest to A's.

    The two may be laid out otherwise: the channels last in one framework and first in the other. Where no order of the
    axes gives the shape of A, the elements are compared in their own order.
    """
    mine, theirs = (_wide(array) for array in (mine, theirs))
    best: tuple[float, Array] | None = None
    for laid_out in _orders(mine.shape, theirs):
        error = _largest(_apart(mine, laid_out))
        if best is None or error < best[0]:
            best = error, laid_out
        if error <= _EXACTLY * _largest(np.abs(mine)):
            break
    assert best is not None
    return _measured(mine, best[1])


def _measured(mine: Array, theirs: Array) -> Measured:
    apart = _apart(mine, theirs)
    at = np.unravel_index(int(np.argmax(apart)), apart.shape) if apart.ndim else ()
    scale = _largest(np.abs(mine))
    return Measured(
        largest=float(apart[at]),
        relative=float(apart[at]) / scale if scale else None,
        position=tuple(int(index) for index in at),
        a=mine[at].item(),
        b=theirs[at].item(),
        unequal=int(np.count_nonzero(apart)),
        size=int(apart.size),
    )


def _apart(mine: Array, theirs: Array) -> Array:
    """The magnitudes of the differences; infinite where only one element is a number, zero where both are the same."""
    same = (mine == theirs) | (np.isnan(mine) & np.isnan(theirs))
    with np.errstate(invalid="ignore"):
        apart: Array = np.abs(mine - theirs)
    return np.where(same, 0.0, np.where(np.isnan(apart), np.inf, apart))


def _orders(shape: tuple[int, ...], theirs: Array) -> Iterator[Array]:
    """B's elements in A's shape: as they lie, then with their axes in another order."""
    yield theirs.reshape(shape)
    if sorted(theirs.shape) != sorted(shape):
        return
    for order in islice(permutations(range(theirs.ndim)), _MOST_ORDERS):
        laid_out = theirs.transpose(order)
        if laid_out.shape == shape:
            yield laid_out


def _wide(array: Array) -> Array:
    return array.astype(np.complex128 if np.iscomplexobj(array) else np.float64)


def _largest(magnitudes: Array) -> float:
    """The largest finite one; 0 where there is none."""
    finite = magnitudes[np.isfinite(magnitudes)]
    return float(finite.max()) if finite.size else 0.0
