from __future__ import annotations

import math

import numpy as np

from tensordbg.analysis.diff.elements import compare_elements


def test_the_largest_difference_and_where_it_is() -> None:
    mine = np.array([[1.0, 2.0], [4.0, 8.0]], "float32")
    found = compare_elements(mine, mine + np.array([[0, 0.5], [0, 0]], "float32"))
    assert (found.largest, found.relative, found.position) == (0.5, 0.0625, (0, 1))
    assert (found.a, found.b, found.unequal, found.size) == (2.0, 2.5, 1, 4)


def test_axes_may_lie_in_another_order() -> None:
    mine = np.random.default_rng(1).normal(size=(2, 3, 3, 5)).astype("float32")
    found = compare_elements(mine, mine.transpose(0, 3, 1, 2))
    assert (found.largest, found.unequal) == (0.0, 0)
    turned = compare_elements(mine, np.swapaxes(mine, 1, 2).transpose(0, 3, 1, 2))
    assert turned.unequal == 0


def test_of_square_matrices_the_nearest_order_is_taken() -> None:
    mine = np.arange(9.0).reshape(3, 3)
    assert compare_elements(mine, mine.T).unequal == 0
    assert compare_elements(mine, mine.T + 0.25).largest == 0.25


def test_shapes_that_no_order_makes_equal_are_compared_in_the_order_of_the_elements() -> None:
    mine = np.arange(6.0).reshape(2, 3)
    assert compare_elements(mine, mine.reshape(6)).unequal == 0
    assert compare_elements(np.array(3.0), np.array([3.5])).largest == 0.5


def test_what_is_not_finite() -> None:
    nan = np.array([math.nan, math.inf, 1.0])
    assert compare_elements(nan, nan.copy()).unequal == 0
    found = compare_elements(nan, np.array([0.0, math.inf, 1.0]))
    assert (found.largest, found.position, found.unequal) == (math.inf, (0,), 1)


def test_nothing_but_zeros_has_no_relative_difference() -> None:
    assert compare_elements(np.zeros(3), np.ones(3)).relative is None
