"""Sketches of values: as they were recorded, or made of the elements of small ones, which are recorded always."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.columns.reading import Bools, Ints, byte_strings, flat_floats, floats, words
from tensordbg.health.reference import place_signs

Floats = npt.NDArray[np.float64]

FIELDS = 5
"""The sum of magnitudes, and four sums that depend on the order."""

COLUMNS = ("dtype", "size", "sum_abs", "sketch", "elements")
"""Columns of `tensors` that sketches are made of."""

_FLOATS = {"float64": "<f8", "float32": "<f4", "float16": "<f2", "bfloat16": "<u2"}


def read_sketches(table: Any, chosen: Ints) -> Floats:
    """Reads the sketches of some rows of a table, shape (rows, FIELDS); NaN where there are none."""
    table = table.select(COLUMNS).take(chosen)
    result = np.full((len(table), FIELDS), np.nan)
    starts, sums = flat_floats(table, "sketch")
    recorded = np.diff(starts) == FIELDS - 1
    result[recorded, 0] = floats(table, "sum_abs")[recorded]
    result[recorded, 1:] = sums.reshape(-1, FIELDS - 1)
    _fill_small(table, result)
    return result


def _fill_small(table: Any, result: Floats) -> None:
    """Enters the sketches of values whose elements are there, all of one dtype and length at once."""
    starts, data = byte_strings(table, "elements")
    length = np.diff(starts)
    number, texts = words(table, "dtype")
    for position, dtype in enumerate(texts):
        if dtype not in _FLOATS:
            continue
        of_dtype = (number == position) & (length > 0)
        for count in np.unique(length[of_dtype]).tolist():
            rows = np.flatnonzero(of_dtype & (length == count))
            if count % np.dtype(_FLOATS[dtype]).itemsize == 0:
                elements = data[starts[rows][:, None] + np.arange(count)].view(_FLOATS[dtype])
                result[rows] = _sketched(_wide(elements, dtype))


def _wide(elements: Any, dtype: str) -> Floats:
    if dtype == "bfloat16":
        elements = (elements.astype(np.uint32) << 16).view(np.float32)
    result: Floats = elements.astype(np.float64)
    return result


def _sketched(values: Floats) -> Floats:
    values = np.where(np.isfinite(values), values, 0.0)
    return np.concatenate([np.abs(values).sum(axis=1, keepdims=True), values @ place_signs(values.shape[1]).T], axis=1)


def order_apart(a: Floats, b: Floats, squares: Floats) -> Floats:
    """Tells how far the orders of pairs of values of the same elements are apart: about 1 for a chance permutation.

    Args:
        a: Of each pair the four sums of the one; NaN where they are not known.
        b: Those of the other.
        squares: The sums of squares.

    Returns:
        The distances, NaN where one is not known.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        far: Floats = np.abs(a - b).max(axis=1) / np.sqrt(squares)
    return far


def known(order: Floats) -> Bools:
    """Whether the sums of values are known."""
    result: Bools = ~np.isnan(order[:, 0])
    return result
