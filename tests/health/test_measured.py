"""A tensor and what its elements come to."""

from __future__ import annotations

import numpy as np

from tensordbg.health.measured import Measured


def test_where_it_is_bad() -> None:
    assert Measured(np.array([[0.0, 1.0], [np.nan, np.inf]])).bad_index == (1, 0)
    assert Measured(np.array(np.inf)).bad_index == ()


def test_the_element_that_went_in() -> None:
    row = Measured(np.array([1.0, 2.0, 3.0]))
    assert row.element((4, 1), (5, 3)) == 2.0
    assert row.element((4,), (5,)) is None
