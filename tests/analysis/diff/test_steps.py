"""How far the values of each step are apart, and from which step on rounding alone may have parted two runs."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.diff.steps import NEVER, Aligned, drifted_from

_VALUES = 20
_TOLERANCE = 1e-6


def aligned(distances: list[float]) -> Aligned:
    """As many values in each step, all as far apart."""
    step = np.repeat(np.arange(len(distances)), _VALUES)
    rows = np.arange(len(step))
    return Aligned(rows, rows, step, np.repeat(distances, _VALUES), _TOLERANCE)


def test_rounding_that_grows_through_a_long_training_parts_it() -> None:
    found = drifted_from(aligned([1e-7 * 1.08**step for step in range(250)]))
    assert 100 <= found < 250


def test_what_grows_as_far_in_a_few_steps_is_no_drift() -> None:
    assert drifted_from(aligned([1e-7 * 4**step for step in range(20)])) == NEVER


def test_a_training_that_stays_near_or_parts_at_once_has_not_drifted() -> None:
    assert drifted_from(aligned([1e-7] * 250)) == NEVER
    assert drifted_from(aligned([1e-7] * 150 + [0.5] * 100)) == NEVER
    assert drifted_from(aligned([])) == NEVER
