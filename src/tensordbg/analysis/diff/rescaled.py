"""Inputs of which one is the other in another scale, as pixels up to 255 are beside ones up to 1."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.diff.apart import Apart, are_of_one_size
from tensordbg.analysis.diff.numbers import HIGH, LOW, SQUARES, SUM

_NEAR = 1e-4
"""So near are the extremes and the spread of two values that are one and the same but for their scale."""


def rescaled(a: Apart, b: Apart, rows: tuple[int, int]) -> str:
    """Tells by what the one value is multiplied, and what is added, to get the other; empty where there is no such."""
    of_a, of_b = _form_of(a, rows[0]), _form_of(b, rows[1])
    if of_a is None or of_b is None or not are_of_one_size(a, b, *rows):
        return ""
    (mean_a, spread_a, form_a), (mean_b, spread_b, form_b) = of_a, of_b
    if not np.allclose(form_a, form_b, rtol=0, atol=_NEAR * float(np.abs(form_a).max())):
        return ""
    factor = spread_b / spread_a
    shift = mean_b - factor * mean_a
    text = f"{factor:.6g} times that of A"
    if abs(shift) > _NEAR * spread_b:
        text += f" {'plus' if shift > 0 else 'less'} {abs(shift):.4g}"
    return f"; that of B is {text}" if abs(factor - 1) > _NEAR or abs(shift) > _NEAR * spread_b else ""


def _form_of(apart: Apart, row: int) -> tuple[float, float, np.ndarray[tuple[int], np.dtype[np.float64]]] | None:
    """The mean and the spread of a value, and its extremes beside these."""
    size, told = int(apart.side.numbers.size[row]), apart.side.numbers.statistics[row]
    mean = float(told[SUM]) / size
    variance = float(told[SQUARES]) / size - mean**2
    if size < 2 or variance <= 0:
        return None
    spread = float(np.sqrt(variance))
    return mean, spread, (np.array([told[LOW], told[HIGH]]) - mean) / spread
