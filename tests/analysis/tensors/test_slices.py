"""A slice means what Python means by it, whatever is written; and nothing but a slice is one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensordbg.analysis.tensors.slices import parse_slice, take
from tensordbg.errors import UsageError

ARRAY = np.arange(2 * 3 * 4).reshape(2, 3, 4)

NUMBERS = st.integers(-5, 5).map(str)
ENDS = st.one_of(st.just(""), NUMBERS)
STRIDES = st.sampled_from(["", ":", ":2", ":-1", ":-3"])
SLICES = st.builds(lambda first, last, stride: f"{first}:{last}{stride}", ENDS, ENDS, STRIDES)
ITEMS = st.lists(st.one_of(NUMBERS, SLICES), max_size=3)


@given(ITEMS, st.one_of(st.none(), st.integers(0, 3)), st.sampled_from([", ", ",", " , "]), st.booleans())
def test_means_what_python_means(items: list[str], gap: int | None, comma: str, brackets: bool) -> None:
    if gap is not None:
        items = [*items[:gap], "...", *items[gap:]]
    text = comma.join(items)
    try:
        expected = eval(f"ARRAY[{text or '()'},]" if items else "ARRAY[()]", {"ARRAY": ARRAY})
    except IndexError:
        with pytest.raises(UsageError, match="no such slice of a tensor of shape"):
            take(ARRAY, parse_slice(text))
        return
    found = take(ARRAY, parse_slice(f"[{text}]" if brackets else text))
    assert found.shape == np.shape(expected)
    assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    "text",
    ["a", "[a]", "1.5", "0,,1", "1:2:3:4", "[0", "0]", "None", "[[0]]", "-", "__import__('os')", "0 1", "9" * 40],
)
def test_what_is_no_slice(text: str) -> None:
    with pytest.raises(UsageError, match=r"is no part of one; write numbers, `a:b`, `a:b:c` or `\.\.\.`"):
        parse_slice(text)


def test_mistakes_that_look_like_slices() -> None:
    with pytest.raises(UsageError, match="goes on by 0"):
        parse_slice("::0")
    with pytest.raises(UsageError, match=r"has `\.\.\.` twice"):
        parse_slice("..., 0, ...")
    with pytest.raises(UsageError, match=r"shape \[2, 3, 4\]: too many indices .*; mind its shape"):
        take(ARRAY, parse_slice("0,0,0,0"))


def test_one_element_is_an_array() -> None:
    element = take(ARRAY, parse_slice("1, 2, -1"))
    assert (element.shape, int(element)) == ((), 23)
