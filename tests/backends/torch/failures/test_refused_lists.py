from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any

import pytest

from tensordbg.backends.torch.failures.refused_lists import is_call_of, refused_lists

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

PACKAGES = frozenset({"torch"})
RAGGED = [[4, 8, 2], [7, 1], [9, 3, 3, 5]]


def raised(call: Callable[[], Any]) -> TracebackType | None:
    with pytest.raises((ValueError, TypeError)) as found:
        call()
    return found.value.__traceback__


def told(call: Callable[[], Any]) -> list[tuple[str, str]]:
    trace = raised(call)
    assert is_call_of(trace, PACKAGES)
    return [(each.tensor, each.elements) for each in refused_lists(trace)]


def test_the_lengths_of_a_list_of_lists_that_differ() -> None:
    rows = RAGGED
    assert told(lambda: torch.tensor(rows)) == [("rows", "3 lists of 3, 2 and 4 elements")]
    assert told(lambda: torch.FloatTensor(rows)) == [("rows", "3 lists of 3, 2 and 4 elements")]


def test_where_a_long_or_a_nested_list_begins_to_differ() -> None:
    rows = [[1, 2]] * 9 + [[1]]
    assert told(lambda: torch.as_tensor(rows)) == [("rows", "10 lists of which [0] has 2 elements and [9] has 1")]
    deep = [[[1], [2]], [[3], [4, 5]]]
    assert told(lambda: torch.tensor(deep)) == [
        ("deep", "2 lists of which [0][0] has 1 element and [1][1] has 2"),
    ]


def test_one_list_and_one_element_are_told_in_the_singular() -> None:
    rows, name, deep = [[1, 2], [3]], ["cat"], [[[1, 2], [3]]]
    assert told(lambda: torch.tensor(rows)) == [("rows", "2 lists of 2 and 1 element")]
    assert told(lambda: torch.tensor(name)) == [("name", "1 element with 'cat' at [0]")]
    assert told(lambda: torch.tensor(deep)) == [("deep", "1 list of which [0][0] has 2 elements and [0][1] has 1")]


def test_an_element_that_is_no_number() -> None:
    rows, names = [[0.1, 2.0], [0.4, None]], ["cat", "dog"]
    assert told(lambda: torch.tensor(rows, dtype=torch.float32)) == [("rows", "2 lists with None at [1][1]")]
    assert told(lambda: torch.tensor(data=names)) == [("names", "2 elements with 'cat' at [0]")]


def test_a_list_that_an_object_holds_and_a_method_of_a_tensor() -> None:
    class Data:
        def __init__(self) -> None:
            self.rows = RAGGED

    data, like = Data(), torch.zeros(1)
    assert told(lambda: like.new_tensor(data.rows)) == [("data.rows", "3 lists of 3, 2 and 4 elements")]


def test_a_call_that_refuses_something_else_is_told_without_lists() -> None:
    numbers = [1.0, 2.0]
    assert told(lambda: torch.relu(numbers)) == []


def test_no_call_of_the_program_s_own_nor_of_python_s_is_one_of_pytorch() -> None:
    def refuse(rows: object) -> None:
        raise ValueError(rows)

    rows = RAGGED
    assert not is_call_of(raised(lambda: refuse(rows)), PACKAGES)
    assert not is_call_of(raised(lambda: int("a")), PACKAGES)
    assert not is_call_of(None, PACKAGES)
    assert refused_lists(None) == ()
