"""The line at which a dataset's elements are handed out is found by reading functions, none of which is run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from tensordbg.backends.tensorflow.tracing.yields import handed_out_at

NAME = "Dataset_from_generator_generator_next_fn"


def rows() -> Iterator[int]:
    for number in range(3):
        row = number * 2
        yield row


def in_two_ways() -> Iterator[int]:
    yield 1
    yield 2


def nothing() -> list[int]:
    return [1]


class Rows:
    """An object that gives rows when it is called."""

    def __call__(self) -> Iterator[int]:
        yield from rows()
        yield 5


def from_generator(generator: Any) -> Any:
    return handed_out_at(NAME, sys._getframe())


def test_the_only_yield_of_a_generator_function() -> None:
    expected = (__file__, rows.__code__.co_firstlineno + 3, "rows")
    assert from_generator(rows) == from_generator(lambda: rows()) == expected


def test_of_several_yields_the_function_is_told() -> None:
    assert from_generator(in_two_ways) == (__file__, in_two_ways.__code__.co_firstlineno, "in_two_ways")


def test_an_object_that_is_called() -> None:
    assert from_generator(Rows())[2] == "__call__"


def test_nothing_is_told_of_what_is_no_generator_and_of_other_functions() -> None:
    assert from_generator(nothing) is None
    assert from_generator(lambda: rows() or in_two_ways()) is None
    generator = rows
    assert handed_out_at("train_step", sys._getframe()) is None
    assert generator is rows
