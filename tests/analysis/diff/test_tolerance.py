"""The tolerance that two runs teach."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.diff.edges import Edges
from tensordbg.analysis.diff.tolerance import tolerance_of

ROUNDING = 2.0**-23


def chain(count: int) -> Edges:
    """Each value is made from the one before."""
    return Edges(np.arange(1, count), np.arange(count - 1), count)


def test_equal_to_the_bit_leaves_four_roundings() -> None:
    assert tolerance_of(np.zeros(200), chain(200), ROUNDING) == 4 * ROUNDING


def test_noise_raises_it() -> None:
    noise = np.full(200, 5e-7)
    assert tolerance_of(noise, chain(200), ROUNDING) == 10 * 5e-7


def test_no_match_at_all_leaves_sixteen() -> None:
    assert tolerance_of(np.full(50, 9.0), chain(50), ROUNDING) == 16 * ROUNDING


def test_what_lies_behind_a_small_jump_teaches_nothing() -> None:
    distance = np.concatenate([np.full(200, 1e-8), np.full(400, 2e-5)])
    assert tolerance_of(distance, chain(600), ROUNDING) == 16 * ROUNDING


def test_bounded_above() -> None:
    growing = np.geomspace(1e-7, 2.3e-5, 4000)
    assert tolerance_of(growing, chain(4000), ROUNDING) <= 400 * ROUNDING


def test_equal_to_the_bit_tells_nothing_of_a_coarser_precision() -> None:
    coarse = 2.0**-7
    assert tolerance_of(np.zeros(200), chain(200), coarse) == 0.002
    assert tolerance_of(np.zeros(200), chain(200), coarse, one_precision=False) == 0.01
