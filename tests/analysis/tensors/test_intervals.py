from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from tensordbg.analysis.tensors.intervals import inside, parse_interval
from tensordbg.errors import UsageError

NUMBERS = np.array([-np.inf, -1.0, -0.0, 0.5, 1.0, np.inf, np.nan])


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("[-inf, 0]", "1110000"),
        ("(-inf, 0)", "0100000"),
        ("[0, 1)", "0011000"),
        ("(0,1]", "0001100"),
        (" [ 1 , inf ] ", "0000110"),
        ("[inf, inf]", "0000010"),
        ("[-Inf, +inf]", "1111110"),
        ("nan", "0000001"),
        ("NaN", "0000001"),
        ("[5e-1, 5e-1]", "0001000"),
    ],
)
def test_elements_of_a_range(text: str, taken: str) -> None:
    mask = parse_interval(text).mask(NUMBERS)
    assert "".join(str(int(each)) for each in mask) == taken
    assert np.array_equal(parse_interval(text).mask(NUMBERS.astype(np.float16)), mask)
    assert np.array_equal(parse_interval(text).mask(NUMBERS.astype(ml_dtypes.bfloat16)), mask)


def test_other_dtypes() -> None:
    assert parse_interval("[1, 2]").mask(np.array([0, 1, 3], np.uint8)).tolist() == [False, True, False]
    assert parse_interval("[1, 1]").mask(np.array([True, False])).tolist() == [True, False]
    assert parse_interval("[5, inf]").mask(np.array([3 + 4j, 1j])).tolist() == [True, False]
    assert parse_interval("nan").mask(np.array([complex(0, np.nan), 1j])).tolist() == [True, False]


def test_any_of_several() -> None:
    ranges = [parse_interval("nan"), parse_interval("[-inf, -1]")]
    assert inside(NUMBERS.reshape(7, 1), ranges).ravel().tolist() == [True, True, *[False] * 4, True]
    assert not inside(NUMBERS, []).any()


@pytest.mark.parametrize("text", ["", "[5", "[1, 0]", "[a, b]", "1, 2", "[1; 2]", "[nan, 1]", "[0, 1, 2]", "[,]"])
def test_what_is_no_range(text: str) -> None:
    with pytest.raises(UsageError, match=r"is no range; write the smaller end first, such as '\[-inf, 0\]'"):
        parse_interval(text)
