"""The reference itself, against numbers worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tensordbg.errors import UsageError
from tensordbg.health.reference import measure, place_signs, sketch
from tensordbg.model import NONE, Health
from tests.health.arrays import NAMES, dtype_named


def test_floats() -> None:
    array = np.array([[1.5, -2.0, 0.0, -0.0], [np.nan, np.inf, -np.inf, 1e-310]])
    assert measure(array) == Health(
        size=8,
        negative=1,
        zero=2,
        neg_inf=1,
        pos_inf=1,
        nan=1,
        subnormal=1,
        min=-2.0,
        max=1.5,
        sum=-0.5,
        sum_squares=6.25,
        first_bad=4,
    )


def test_integers() -> None:
    assert measure(np.array([-3, 0, 5, 0], np.int8)) == Health(
        size=4, negative=1, zero=2, min=-3.0, max=5.0, sum=2.0, sum_squares=34.0
    )
    assert measure(np.array([2**64 - 1], np.uint64)).max == 2.0**64


def test_booleans() -> None:
    assert measure(np.array([True, False, True])) == Health(size=3, zero=1, min=0.0, max=1.0, sum=2.0, sum_squares=2.0)


def test_complex_numbers_are_measured_by_their_modulus() -> None:
    nan, inf = math.nan, math.inf
    array = np.array([0, 3 - 4j, complex(nan, inf), complex(1, -inf), complex(-inf, 0), 1e-310j, complex(1, 1e-310)])
    health = measure(array)
    assert (health.negative, health.zero, health.neg_inf, health.pos_inf, health.nan) == (0, 1, 0, 2, 1)
    assert health.subnormal == 1
    assert (health.min, health.max) == (0.0, 5.0)
    assert (health.sum, health.sum_squares) == (6.0, 26.0)
    assert health.first_bad == 2


@pytest.mark.parametrize("name", NAMES)
def test_nothing_and_one(name: str) -> None:
    nothing = measure(np.zeros((2, 0), dtype_named(name)))
    assert (nothing.size, nothing.sum, nothing.sum_squares, nothing.first_bad) == (0, 0.0, 0.0, NONE)
    assert math.isnan(nothing.min)
    assert math.isnan(nothing.max)
    one = measure(np.array(1, dtype_named(name)))
    assert one == Health(size=1, min=1.0, max=1.0, sum=1.0, sum_squares=1.0)


@pytest.mark.parametrize(
    ("name", "smallest_normal"),
    [
        ("float16", 2.0**-14),
        ("bfloat16", 2.0**-126),
        ("float32", 2.0**-126),
        ("float64", 2.0**-1022),
        ("float8_e4m3fn", 2.0**-6),
        ("float8_e5m2", 2.0**-14),
        ("complex64", 2.0**-126),
        ("complex128", 2.0**-1022),
    ],
)
def test_where_subnormal_begins(name: str, smallest_normal: float) -> None:
    array = np.array([smallest_normal, -smallest_normal, smallest_normal / 2, -smallest_normal / 4, 0])
    assert measure(array.astype(dtype_named(name))).subnormal == 2


def test_sums_whose_parts_cancel_stay_finite() -> None:
    largest = np.finfo(np.float64).max
    assert measure(np.array([largest, largest, -largest, -largest])).sum == 0.0
    assert measure(np.array([largest, largest])).sum == math.inf


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([None]), np.zeros(2, "m8[s]"), np.zeros(2, "V4")])
def test_other_dtypes_are_refused(array: np.ndarray[Any, Any]) -> None:
    with pytest.raises(UsageError, match="has no health; those that have are bool, int8"):
        measure(array)


def test_a_sketch_tells_the_order() -> None:
    array = np.arange(36.0).reshape(6, 6) - 18
    straight, across = sketch(array), sketch(array.T)
    assert straight[0] == across[0] == np.abs(array).sum()
    assert np.abs(straight[1:] - across[1:]).max() > 0.5 * np.linalg.norm(array)
    assert sketch(np.array([np.nan, -2.0, np.inf]))[0] == 2.0


def test_the_signs_of_places_are_as_drawn_by_chance() -> None:
    signs = place_signs(2**16)
    assert np.abs(signs.mean(axis=1)).max() < 0.02
    assert np.abs(np.corrcoef(signs) - np.eye(4)).max() < 0.02
    rows = signs.reshape(4, 256, 256)
    assert np.abs(np.einsum("kij,klj->kil", rows, rows) / 256 - np.eye(256)).max() < 0.4
