"""Which element of a dataset a failed operation was given."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import pytest

from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.failures.data_elements import Refused, element_of

NAMES = tuple(f"element {k}" for k in (4, 2, 9, 7, 1))
OF_LABELS = "Received a label value of 3 which is outside the valid range of [0, 3).  Label values: 1 3 1 0 2"


def made(key: int, op_type: str = "Cast", low: float = 0.0, high: float = 3.0) -> Made:
    return Made(key, f"x{key}:0", op_type, "int64", (5,), None, low, high, event=key)


class Batches:
    """Batches whose names are known."""

    any = True

    def __init__(self, rows: dict[int, tuple[str, ...]], runs: dict[int, tuple[str, ...]] | None = None) -> None:
        self._rows, self._runs = rows, runs or {}

    def runs(self, events: Collection[int]) -> dict[int, tuple[str, ...]]:
        return {event: names for event, names in self._runs.items() if event in events}

    def names(self, events: Collection[int]) -> dict[int, tuple[str, ...]]:
        return {event: names for event, names in self._rows.items() if event in events}


class Chain:
    """Each tensor is made of the one before."""

    def __init__(self, *tensors: Made) -> None:
        self._tensors = tensors

    def inputs(self, made: Made) -> Sequence[Made | None]:
        at = self._tensors.index(made)
        return self._tensors[at - 1 : at] if at else []


def told(batches: Any, chain: Sequence[Made], message: str, elements: str = "") -> list[str]:
    found = element_of(batches, Chain(*chain), Refused(message, [chain[-1]], [elements]))
    return [each.explanation for each in found]


def test_the_row_is_told_by_the_labels_of_the_message() -> None:
    chain = [made(1, "IteratorGetNext"), made(2)]
    assert told(Batches({1: NAMES}), chain, OF_LABELS) == ["row 1 of x1:0 came from element 2"]


@pytest.mark.parametrize(
    ("message", "elements", "row"),
    [
        ("indices[2] = 3 is not in [0, 3)", "", "row 2 of x1:0 came from element 9"),
        ("indices[2,0] = 3 is not in [0, 3)", "", "row 2 of x1:0 came from element 9"),
        ("index 3 is out of range [0, 3)", "[0, 0, 0, 3, 0]", "row 3 of x1:0 came from element 7"),
        ("index 3 is out of range [0, 3)", "[3, 0, 0, 3, 0]", "the batch x1:0 came from element 4, element 2,"),
        (
            "index 3 is out of range [0, 3)",
            "",
            "the batch x1:0 came from element 4, element 2, element 9, element 7 and",
        ),
    ],
)
def test_the_row_is_told_where_it_is_certain(message: str, elements: str, row: str) -> None:
    (said,) = told(
        Batches({1: NAMES}), [made(1, "IteratorGetNext"), made(2)], message.replace("index 3", "3"), elements
    )
    assert said.startswith(row)


def test_behind_what_may_change_the_order_no_row_is_told() -> None:
    chain = [made(1, "IteratorGetNext"), made(2, "ReverseV2")]
    assert told(Batches({1: NAMES}), chain, OF_LABELS)[0].startswith("the batch x1:0 came from ")


def test_a_call_for_one_element() -> None:
    assert told(Batches({}, {2: ("element 6",)}), [made(1), made(2)], OF_LABELS) == ["this call was for element 6"]


def test_nothing_is_told_where_no_names_are_known() -> None:
    assert told(Batches({}), [made(1), made(2)], OF_LABELS) == []
