from __future__ import annotations

import numpy as np
import pytest

from tensordbg.analysis.view.search.bounds import Bounds, parse_bounds, parse_whole_bounds
from tensordbg.errors import UsageError

NUMBERS = np.array([-2.0, 0.0, 1.0, 2.5, np.inf, np.nan])


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("<1", [-2.0, 0.0]),
        ("<=1", [-2.0, 0.0, 1.0]),
        (">1", [2.5, np.inf]),
        (">=1", [1.0, 2.5, np.inf]),
        ("=1", [1.0]),
        ("1", [1.0]),
        ("0..1e0", [0.0, 1.0]),
        ("..0", [-2.0, 0.0]),
        ("2..", [2.5, np.inf]),
        ("-3..-1", [-2.0]),
        ("..", [-2.0, 0.0, 1.0, 2.5, np.inf]),
        (">inf", []),
        ("<-inf", []),
    ],
)
def test_what_lies_in_a_range(text: str, held: list[float]) -> None:
    assert NUMBERS[parse_bounds("min", text).hold(NUMBERS)].tolist() == held


def test_whole_numbers() -> None:
    assert parse_whole_bounds("step", "3..9") == Bounds(3, 9)
    assert parse_whole_bounds("step", ">3").hold(np.array([2, 3, 4])).tolist() == [False, False, True]


@pytest.mark.parametrize("text", ["1_0", "nan", "a..3", "<", "9" * 20, "0x1"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no range for 'step'"):
        parse_whole_bounds("step", text)


def test_nan_bounds_nothing() -> None:
    with pytest.raises(UsageError, match="'nan' is no range for 'min'"):
        parse_bounds("min", "nan")
