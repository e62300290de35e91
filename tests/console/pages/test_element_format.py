from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensordbg.console.pages.element_format import format_of


def written(array: Any, digits: int | None = None) -> list[str]:
    given = np.asarray(array)
    how = format_of(given, digits)
    return [how.text(element) for element in given.reshape(-1).tolist()]


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.float32([1, -2.5]), [" 1.0", "-2.5"]),
        (np.float32([0.1, 10]), [" 0.1", "10.0"]),
        (np.float32([np.nan, 1]), ["nan", " 1."]),
        (np.float32([-np.inf, 0]), ["-inf", "  0."]),
        (np.float32([np.nan, np.inf]), ["nan", "inf"]),
        (np.float64([1e-10, 1]), ["1.00000000e-10", "1.00000000e+00"]),
        (np.float64([1e300, -1e300]), [" 1.00000000e+300", "-1.00000000e+300"]),
        ([1, -20], ["  1", "-20"]),
        ([True, False], [" True", "False"]),
        ([True], ["True"]),
        (["a", "b c"], ["'a'", "'b c'"]),
        (np.complex64([1 + 2j]), ["1+2j"]),
        (np.float16([0.5]), ["0.5"]),
    ],
)
def test_elements_have_one_width_and_no_more_digits_than_they_need(array: Any, expected: list[str]) -> None:
    assert written(array) == expected


def test_digits_can_be_chosen() -> None:
    assert written([1.23456, 2.0], 2) == ["1.23", "2.00"]


def test_one_element_that_needs_digits_gets_them_however_late_it_comes() -> None:
    array = np.zeros(100_000, dtype=np.float32)
    array[77_777] = 0.125
    assert format_of(array).text(0.125) == "0.125"
