from __future__ import annotations

import math

import pytest

from tensordbg.console.language.ranges import parse_ranges
from tensordbg.errors import UsageError


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("", []),
        ("0,1e-8", [(0, 1e-8)]),
        ("[-0.1,0.1]", [(-0.1, 0.1)]),
        ("(0, 1]", [(0, 1)]),
        ("[[-inf,-1],[1,inf]]", [(-math.inf, -1), (1, math.inf)]),
        ("[(-inf, 0), [5, 6]]", [(-math.inf, 0), (5, 6)]),
    ],
)
def test_one_range_or_several(text: str, ends: list[tuple[float, float]]) -> None:
    assert [(each.low, each.high) for each in parse_ranges(text)] == ends


def test_nan_is_one() -> None:
    (found,) = parse_ranges("nan")
    assert math.isnan(found.low)


@pytest.mark.parametrize("text", ["1", "[2, 1]", "[1, 2", "a,b", "[[1,2],x]"])
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no range"):
        parse_ranges(text)
