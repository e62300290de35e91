"""Measures what it costs to look at a step in one way: seconds beyond those that a plain step takes."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence

_RATIOS_KEPT = 64
_LEAST_RATIO = 0.002
_OUTLIER = 4.0
"""A step that cost so many times the usual was held up by something else."""


class StepCost:
    """The cost of one kind of steps, looked at in one way."""

    def __init__(self, guess: float) -> None:
        """Nothing was measured.

        Args:
            guess: The cost before it was, in plain steps.
        """
        self.ratio = guess
        """In plain steps."""
        self.measured = 0
        """So many times."""
        self._ratios: deque[float] = deque(maxlen=_RATIOS_KEPT)

    def take(self, seconds: float, plain: Sequence[float]) -> float:
        """Takes how long a step took, and others without a look; returns what it cost by what it costs on the whole."""
        usual_plain = middle(plain)
        if usual_plain <= 0:
            return 0.0
        self.measured += 1
        measured = seconds / usual_plain - 1
        usual = max(self.ratio, spread(plain) / usual_plain) if self._ratios else math.inf
        self._ratios.append(min(measured, _OUTLIER * usual))
        # Where little is known, it is taken to cost more.
        doubt = spread(self._ratios) / math.sqrt(len(self._ratios))
        self.ratio = max(middle(self._ratios) + doubt, _LEAST_RATIO)
        return min(self.ratio * usual_plain, seconds)


def middle(values: Iterable[float]) -> float:
    """The mean without the outermost eighths: what holds up a step now and then does not count, skewed times do."""
    ordered = sorted(values)
    outer = len(ordered) // 8
    inner = ordered[outer : len(ordered) - outer]
    return sum(inner) / len(inner)


def spread(values: Sequence[float]) -> float:
    """The standard deviation."""
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
