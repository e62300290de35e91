"""Says of what a program computes with, where it stands, what it is: a number, or a tensor in few words."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensordbg.console.running import AtHand

_FEW = 8
"""So many elements are shown as they are."""

_LONGEST = 200


def at_hand(name: str, value: Any) -> AtHand:
    """A value under its name."""
    array = np.asarray(value)
    shape = ", ".join(map(str, array.shape))
    return AtHand(name, f"{array.dtype.name}[{shape}]", _words(array))


def _words(array: Any) -> str:
    if array.size <= _FEW:
        text = np.array2string(array, separator=", ", max_line_width=10**6, threshold=_FEW)
        return " ".join(text.split())[:_LONGEST]
    try:
        return _statistics(array.astype(np.float64))
    except (TypeError, ValueError):
        return ""


def _statistics(numbers: Any) -> str:
    finite = numbers[np.isfinite(numbers)]
    parts = []
    if finite.size:
        least, mean, most = (f"{each:.5g}" for each in (finite.min(), finite.mean(), finite.max()))
        parts.append(f"min {least}  mean {mean}  max {most}")
    for word, count in (("nan", np.isnan(numbers).sum()), ("inf", np.isinf(numbers).sum())):
        if count:
            parts.append(f"{count} {word}")
    return "  ".join(parts)
