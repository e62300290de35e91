from __future__ import annotations

import pytest

from tensordbg.analysis.view.search.shape_pattern import parse_shape
from tensordbg.errors import UsageError


@pytest.mark.parametrize(
    ("pattern", "shape", "fits"),
    [
        ("[2,3]", (2, 3), True),
        ("2,3", (2, 3), True),
        ("[2, *]", (2, 7), True),
        ("[2,?]", (3, 7), False),
        ("[*]", (2, 7), False),
        ("[]", (), True),
        ("[]", (1,), False),
        ("[3,]", (3,), True),
        ("[...,3]", (5, 6, 3), True),
        ("[...,3]", (3,), True),
        ("[1,...,3]", (1, 3), True),
        ("[1,...,3]", (3,), False),
        ("[...]", (), True),
        ("[02]", (2,), True),
    ],
)
def test_fits(pattern: str, shape: tuple[int, ...], fits: bool) -> None:
    assert parse_shape(pattern).fits(shape) is fits


@pytest.mark.parametrize("pattern", ["[a]", "[1,,2]", "[...,...]", "[-1]", "[1.5]"])
def test_other_texts_are_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match="is no pattern of a shape"):
        parse_shape(pattern)
