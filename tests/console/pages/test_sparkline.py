from __future__ import annotations

import numpy as np
import pytest

from tensordbg.console.pages.sparkline import sparkline


@pytest.mark.parametrize(
    ("numbers", "picture"),
    [
        ([], ""),
        ([0, 1, 2, 3, 4, 5, 6, 7], "▁▂▃▄▅▆▇█"),
        ([5, 5], "▁▁"),
        ([0, np.nan, 1], "▁×█"),
        ([np.nan, np.inf], "××"),
        ([-1.7e308, 1.7e308], "▁█"),
    ],
)
def test_numbers_are_drawn_between_the_smallest_and_the_largest(numbers: list[float], picture: str) -> None:
    assert sparkline(np.array(numbers, dtype=float), 64) == picture


def test_of_many_the_largest_of_some_is_drawn_and_no_nan_is_lost() -> None:
    numbers = np.zeros(1000)
    numbers[500], numbers[900] = 1, np.nan
    picture = sparkline(numbers, 10)
    assert picture == "▁▁▁▁▁█▁▁▁×"
