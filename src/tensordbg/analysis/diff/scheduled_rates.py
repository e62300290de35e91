"""Learning rates that a schedule computes: its words are in the trace, and among the numbers of a step is its rate.

A schedule of the program's own tells no settings in its words, and two frameworks have unlike names for one. What
either makes of a step is a single number by which gradients are multiplied, or from which such numbers are made.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.diff.apart import Apart
from tensordbg.analysis.diff.numbers import SUM
from tensordbg.operations.kinds import Kind

_WITHOUT_SETTINGS = "()"
"""The end of the words of a schedule that tells no settings."""
_NEAR = 1e-6


def rates_in_step(runs: tuple[Apart, Apart], told: tuple[object, object], step: int) -> tuple[object, object]:
    """Gives two learning rates as they are compared in a step: equal where the schedules make one rate.

    Args:
        runs: The two runs.
        told: Their rates: numbers, or the words of schedules.
        step: The step.
    """
    a, b = (_known(apart, rate, step) for apart, rate in zip(runs, told, strict=True))
    if isinstance(told[0], str) and isinstance(b, float) and _computes(runs[0], b, step):
        return b, b
    if isinstance(told[1], str) and isinstance(a, float) and _computes(runs[1], a, step):
        return a, a
    plain = any(isinstance(rate, str) and rate.endswith(_WITHOUT_SETTINGS) for rate in told)
    return (told[0] if a is None else a, told[1] if b is None else b) if plain else told


def _known(apart: Apart, rate: object, step: int) -> float | None:
    """The number that a rate is in a step; `None` where it is not known."""
    if isinstance(rate, (int, float)):
        return float(rate)
    factors = _factors(apart, step) if isinstance(rate, str) else []
    return factors[0] if len(factors) == 1 else None


def _factors(apart: Apart, step: int) -> list[float]:
    """The single numbers, computed in the step, by which it multiplies gradients, each once."""
    side = apart.side
    parents, size, backward = side.edges.parents, side.numbers.size, side.backward
    found: list[float] = []
    for row in np.flatnonzero(side.updates & (side.numbers.step == step) & (size > 1)).tolist():
        if side.operation(row).kind is Kind.MULTIPLY and any(backward[each] for each in parents[row]):
            single = [each for each in parents[row] if size[each] == 1 and parents[each]]
            found += [float(side.numbers.statistics[each, SUM]) for each in single if not backward[each]]
    return list(dict.fromkeys(found))


def _computes(apart: Apart, rate: float, step: int) -> bool:
    """Whether a rate is among the single numbers that are computed for the updates of a step."""
    side = apart.side
    rows = (side.numbers.size == 1) & (side.numbers.step == step) & ~side.backward & side.edges.made
    values = side.numbers.statistics[rows, SUM]
    return bool((np.abs(values - rate) <= _NEAR * abs(rate)).any()) and rate != 0
