"""Learning rates over the steps, and whether one was raised by much before something grew.

A rate that rises as a warm-up does, in proportion to the steps or as their square, is not held to have been raised.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tensordbg.operations.setting_names import optimizer_settings
from tensordbg.trace.program.optimizers import OptimizerSettings

LEARNING_RATE = "learning rate"
_NEAR = 3
"""So many steps before something grew a raise may be; what momentum keeps takes some steps to be large."""
_HELD = 3
"""A rate that is raised at once has held for so many steps."""
_AT_ONCE = 3.0
_IN_ALL = 10.0
_SINCE_HALF = 5.0
"""What rises as the square of the steps is four times what it was in half of them."""

Rates = Sequence[tuple[int, float]]
"""Steps and the rate from each on, in order."""


@dataclass(frozen=True)
class RaisedRate:
    """A learning rate that was raised."""

    before: float
    after: float
    first: int
    """The step in which it was still as before."""
    step: int
    """The step from which it was as after."""

    @property
    def words(self) -> str:
        """`from 0.001 to 10 in step 7`."""
        steps = f"in step {self.step}" if self.step == self.first + 1 else f"over steps {self.first} to {self.step}"
        return f"from {self.before:.4g} to {self.after:.4g} {steps}"


def rates_set(settings: Iterable[OptimizerSettings]) -> Rates:
    """The rates to which one group of an optimizer was set."""
    told = ((each.step, optimizer_settings(each.settings).get(LEARNING_RATE)) for each in settings)
    return changes((step, rate) for step, rate in told if isinstance(rate, (int, float)))


def changes(rates: Iterable[tuple[int, float]]) -> Rates:
    """Those that differ from the one before."""
    found: list[tuple[int, float]] = []
    for step, rate in rates:
        if math.isfinite(rate) and (not found or found[-1][1] != rate):
            found.append((step, float(rate)))
    return found


def raised(rates: Rates, grew: int) -> RaisedRate | None:
    """The raise of a rate shortly before something grew.

    Args:
        rates: The rate over the steps.
        grew: The step by whose update it grew.
    """
    known = [each for each in rates if each[0] <= grew]
    return _at_once(known, grew) or _little_by_little(known, grew)


def _at_once(known: Rates, grew: int) -> RaisedRate | None:
    for (first, before), (step, after) in pairwise(known):
        if step >= grew - _NEAR and step - first >= _HELD and before > 0 and after >= _AT_ONCE * before:
            return RaisedRate(before, after, step - 1, step)
    return None


def _little_by_little(known: Rates, grew: int) -> RaisedRate | None:
    begin = len(known) - 1
    while begin > 0 and 0 < known[begin - 1][1] < known[begin][1]:
        begin -= 1
    run = known[begin:]
    if len(run) < _HELD or run[-1][0] < grew - _NEAR:
        return None
    (first, before), (step, after) = run[0], run[-1]
    half = next(rate for at, rate in reversed(run) if at <= (first + step) / 2)
    return RaisedRate(before, after, first, step) if after >= max(_IN_ALL * before, _SINCE_HALF * half) else None
