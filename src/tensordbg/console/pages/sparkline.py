"""A row of numbers as a small picture made of letters."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_BARS = np.array(list("▁▂▃▄▅▆▇█"))
_LOST = "×"


def sparkline(numbers: npt.NDArray[Any], width: int) -> str:
    """Bars from the smallest to the largest number, at most so many: where there are more each is the largest of some.

    A `×` stands where one at least is not finite; where all are equal the bars are low.
    """
    if not len(numbers):
        return ""
    share = -(-len(numbers) // width)
    shown = np.maximum.reduceat(numbers.astype(np.float64), np.arange(0, len(numbers), share))
    # The maximum of some with a NaN is a NaN.
    finite = np.isfinite(shown)
    if not finite.any():
        return _LOST * len(shown)
    low, high = float(shown[finite].min()), float(shown[finite].max())
    # The difference of two large numbers may be infinite, that of their halves is not.
    extent = high / 2 - low / 2
    place = np.zeros(len(shown)) if not extent else (np.where(finite, shown, low) / 2 - low / 2) / extent * len(_BARS)
    bars = _BARS[np.minimum(place.astype(np.int64), len(_BARS) - 1)]
    return "".join(np.where(finite, bars, _LOST).tolist())
