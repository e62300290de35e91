"""Distances of values and the choice of partners, against what NumPy says of the elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensordbg.analysis.diff.matching import FAR, distances, find_partners
from tensordbg.analysis.diff.numbers import ROUNDING, Numbers

Array = np.ndarray[Any, Any]


def numbers_of(*arrays: Array, step: int = 0) -> Numbers:
    """Values as they would have been recorded, one event for each."""
    count = np.arange(len(arrays))
    rows = []
    for array in arrays:
        flat = array.ravel()[np.isfinite(array.ravel())].astype(np.float64)
        ends = (flat.min(), flat.max()) if len(flat) else (0.0, 0.0)
        infinite, missing = np.isinf(array).sum(), np.isnan(array).sum()
        rows.append([*ends, flat.sum(), (flat**2).sum(), missing, infinite, np.abs(flat).sum()])
    sizes = np.array([array.size for array in arrays], dtype=np.int64)
    unknown = np.full((len(rows), 4), np.nan)
    statistics = np.array(rows, dtype=np.float64)
    return Numbers(count, count * 0 + step, sizes, count, statistics, unknown, ROUNDING["float32"])


def distance(a: Array, b: Array) -> float:
    mine, theirs = numbers_of(a), numbers_of(b)
    return float(distances(mine.statistics, theirs.statistics, mine.size)[0])


def partners(a: list[Array], b: list[Array]) -> list[int]:
    mine, theirs = numbers_of(*a), numbers_of(*b)
    zeros = np.zeros(len(a), dtype=np.int64), np.zeros(len(b), dtype=np.int64)
    return find_partners(mine, theirs, zeros, zeros).row.tolist()


@given(st.integers(0, 2**32 - 1), st.integers(2, 60))
def test_layout_makes_no_difference(seed: int, width: int) -> None:
    array = np.random.default_rng(seed).normal(size=(3, width)).astype(np.float32)
    assert distance(array, array.T) < 1e-12
    assert distance(array, array.ravel()[::-1]) < 1e-12


@given(st.integers(0, 2**32 - 1))
def test_rounding_is_small_and_a_factor_is_not(seed: int) -> None:
    array = np.random.default_rng(seed).normal(size=200)
    assert distance(array, array.astype(np.float32)) < 1e-6
    assert distance(array, array * 1.01) == pytest.approx(0.0199, abs=2e-3)


def test_what_is_not_finite_is_far_from_what_is() -> None:
    array = np.array([1.0, 2.0, 3.0])
    assert distance(array, np.array([1.0, 2.0, np.nan])) == FAR
    assert distance(array, np.array([1.0, np.inf, 3.0])) == FAR
    assert distance(np.array([np.nan, 2.0]), np.array([np.nan, 2.0])) == 0


def test_a_mask_does_not_hide_the_scores() -> None:
    scores = np.array([0.5, 2.0, -1.0, 1.5])
    masked, halved = np.append(scores, -1e9), np.append(scores * 0.5, -1e9)
    assert distance(masked, halved) == pytest.approx(0.5)


def test_zeros_are_equal_to_zeros() -> None:
    assert distance(np.zeros(5), np.zeros(5)) == 0


def test_each_finds_its_own_among_values_of_its_size() -> None:
    draw = np.random.default_rng(1)
    arrays = [draw.normal(size=(8, 4)).astype(np.float32) for _ in range(300)]
    order = draw.permutation(300)
    assert partners([arrays[k].T for k in order], arrays) == order.tolist()


def test_other_sizes_are_no_partners() -> None:
    assert partners([np.ones(3)], [np.ones(4)]) == [-1]
    assert partners([np.ones(3)], []) == [-1]


def test_steps_are_kept_apart_where_they_are_given() -> None:
    mine, theirs = numbers_of(np.arange(4.0), step=1), numbers_of(np.arange(4.0), step=2)
    alike = np.zeros(1, dtype=np.int64)
    assert find_partners(mine, theirs, (mine.step, theirs.step), (alike, alike)).distance.tolist() == [FAR]
