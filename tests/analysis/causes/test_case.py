"""Words for numbers, and where an element lies."""

from __future__ import annotations

import pytest

from tensordbg.analysis.causes.case import number, of_elements, unravelled, vanishing
from tensordbg.model import SOMEWHERE, Health


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1"), (88.7228, "88.72"), (3.4028e38, "3.403e38"), (1e-7, "1e-7"), (-2.5e-10, "-2.5e-10"), (1000.0, "1000")],
)
def test_number(value: float, text: str) -> None:
    assert number(value) == text


def test_of_elements() -> None:
    assert of_elements(1, 1) == "its only element"
    assert of_elements(3, 3) == "all 3 of its elements"
    assert of_elements(2, 2) == "both of its elements"
    assert of_elements(3, 6400) == "3 of its 6,400 elements"


def test_unravelled() -> None:
    assert unravelled(Health(size=12, nan=1, first_bad=7), (3, 4)) == (1, 3)
    assert unravelled(Health(size=1, nan=1, first_bad=0), ()) == ()
    assert unravelled(Health(size=12), (3, 4)) is None
    assert unravelled(Health(size=12, nan=1, first_bad=SOMEWHERE), (3, 4)) is None
    assert unravelled(Health(size=12, nan=1, first_bad=7), None) is None


def test_vanishing() -> None:
    assert vanishing(Health(size=5, zero=1, subnormal=2), "float32") == 3
    assert vanishing(Health(size=5, zero=1, subnormal=2), "float16") == 1
    assert vanishing(None, "float32") == 0
