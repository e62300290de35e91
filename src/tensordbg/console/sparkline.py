"""A row of numbers as a small picture made of letters."""

from __future__ import annotations

import math
from collections.abc import Sequence

_BARS = "▁▂▃▄▅▆▇█"


def sparkline(numbers: Sequence[float], width: int) -> str:
    """Bars from the smallest to the largest number, at most so many: where there are more each is the largest of some.

    NaN is drawn as `×`, an infinity as `∞`; where all are equal the bars are low.
    """
    share = max(1, math.ceil(len(numbers) / width))
    groups = [numbers[begin : begin + share] for begin in range(0, len(numbers), share)]
    shown = [_worst(group) for group in groups]
    finite = [each for each in shown if math.isfinite(each)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
    return "".join(_bar(each, low, high) for each in shown)


def _worst(group: Sequence[float]) -> float:
    bad = [each for each in group if not math.isfinite(each)]
    return bad[0] if bad else max(group)


def _bar(number: float, low: float, high: float) -> str:
    if math.isnan(number):
        return "×"
    if math.isinf(number):
        return "∞"
    # The difference of two large numbers may be infinite.
    share = (number / 2 - low / 2) / (high / 2 - low / 2) if high > low else 0.0
    return _BARS[min(int(share * len(_BARS)), len(_BARS) - 1)]
