"""An element that is larger than what it is to be padded to."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest

from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.failures.beginnings.unpaddable_element import is_unpaddable, unpaddable_element
from tests.analysis.beginnings.drawn import Drawn


class Elements(Drawn):
    """A past with what the functions of a pipeline gave."""

    def __init__(self, *given: Made) -> None:
        super().__init__()
        self.given = given
        self.asked: list[tuple[int, ...]] = []

    def first_beyond(self, refs: Iterable[Any], sizes: tuple[int, ...]) -> Made | None:
        self.asked.append(sizes)
        found = (
            each
            for each in self.given
            if any(0 <= most < dim for dim, most in zip(each.shape or (), sizes, strict=False))
        )
        return next(found, None)


def program() -> Any:
    return SimpleNamespace(handed_on=lambda ref, kinds: [ref])


def asked(past: Drawn, *sizes: tuple[int, tuple[float, float] | None]) -> list[Made | None]:
    number = past.made("Input", dtype="int64", span=(3, 3))
    shapes = [past.made("Input", [count], dtype="int64", span=span) for count, span in sizes]
    return [None, number, *shapes, past.made("Input", dtype="float32", span=(0, 0))]


FUNCTION: Any = SimpleNamespace(outputs=(object(), object()))


def test_the_message() -> None:
    assert is_unpaddable("Attempted to pad to a smaller size than the input element.")
    assert not is_unpaddable("Cannot batch tensors with different shapes")


def test_the_first_that_is_larger() -> None:
    past = Elements()
    rows = past.made("Input", [1])
    past.given = (past.made("StringSplitV2", [2], rows), past.made("StringSplitV2", [5], rows))
    made, began = unpaddable_element(program(), [FUNCTION], past, asked(past, (1, (4, 4)))) or (None, None)  # type: ignore[arg-type]
    assert made is past.given[1]
    assert began is not None
    assert began.explanation == "StringSplitV2:0 made [5] of [1], and its element is padded to [4]"


@pytest.mark.parametrize(
    ("sizes", "looked_for"),
    [((2, (4, 4)), [(4, 4)]), ((2, (3, 4)), [(4, 4)]), ((2, (-1, 4)), []), ((1, (-1, -1)), [(-1,)]), ((2, None), [])],
)
def test_only_sizes_that_are_known(sizes: Any, looked_for: list[tuple[int, ...]]) -> None:
    past = Elements()
    assert unpaddable_element(program(), [FUNCTION], past, asked(past, sizes)) is None  # type: ignore[arg-type]
    assert past.asked == looked_for
