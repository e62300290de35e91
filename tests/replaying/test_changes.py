from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from tensordbg.errors import UsageError
from tensordbg.replaying.changes import ClipGradients, ClipTensor, SetTensor, change_of


def test_a_value_is_a_number_a_list_or_a_file(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(3.0))
    for text, value in {"1e-3": 1e-3, "[1, -0.5]": [1, -0.5], f"{tmp_path}/a.npy": [0, 1, 2], "True": True}.items():
        change = change_of(f"set x/y:1={text}")
        assert isinstance(change, SetTensor)
        assert (change.name, change.row) == ("x/y:1", None)
        np.testing.assert_array_equal(change.value, value)
    assert math.isnan(float(change_of("set x=nan").value))  # type: ignore[union-attr]


def test_a_row_or_all_is_set() -> None:
    x = np.zeros((3, 2), np.float32)
    row, everything = change_of("set x[1]=[1, 2]"), change_of("set x=7")
    assert isinstance(row, SetTensor) and isinstance(everything, SetTensor)
    np.testing.assert_array_equal(row.apply(x), [[0, 0], [1, 2], [0, 0]])
    assert everything.apply(x).tolist() == [[7, 7]] * 3
    assert everything.apply(x).dtype == np.float32
    assert not x.any()


def test_bounds_may_be_left_out() -> None:
    assert change_of("clip 0.5") == ClipGradients(0.5)
    assert change_of("clip Log:0:-1:2") == ClipTensor("Log:0", -1.0, 2.0)
    below = change_of("clip x::2")
    assert below == ClipTensor("x", -math.inf, 2.0)
    assert isinstance(below, ClipTensor)
    np.testing.assert_array_equal(below.apply(np.array([-9.0, 5.0, np.nan])), [-9.0, 2.0, np.nan])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("set x", "'x' says nothing to set; write NAME=VALUE"),
        ("set =3", "'=3' says nothing to set"),
        ("set x=os.system", "'os.system' is no value; give a number, a list"),
        ("set x=absent.npy", "absent.npy: no array can be read from it"),
        ("clip -1", "'-1' says nothing to clip; give a norm above 0"),
        ("clip x:2:1", "'x:2:1' says nothing to clip"),
        ("clip x:1", "'x:1' says nothing to clip"),
    ],
)
def test_mistakes_are_one_line(words: str, said: str) -> None:
    with pytest.raises(UsageError, match=said.replace("[", "\\[").replace(".", "\\.")):
        change_of(words)


def test_what_does_not_fit_is_one_line() -> None:
    change = change_of("set x[9]=1")
    assert isinstance(change, SetTensor)
    with pytest.raises(UsageError, match=r"x has the shape \[3, 2\], for which this does not fit"):
        change.apply(np.zeros((3, 2)))
