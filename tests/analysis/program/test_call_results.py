"""The result of a function's call is found under the name that eager code gives to it, in that call alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.analysis.names.listing import Selection, list_tensors
from tensordbg.analysis.tensors.named_listing import list_named
from tensordbg.analysis.tensors.show import history_of
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.table.history import thinned_history
from tensordbg.console.names.runs import EVERYTHING
from tensordbg.console.names.tensors import find_tensor, parse_tensor
from tensordbg.errors import UsageError
from tests.backends.tensorflow.recorded import record, shown


class _Counter:
    def __init__(self, step: Any) -> None:
        self.n = tf.constant(1.0)
        self.step = step

    def advance(self) -> None:
        self.n = self.step(self.n)

    def add(self) -> None:
        self.n = self.n + 1.0


def _program() -> None:
    side = tf.Variable(0.0)

    @tf.function
    def step(x: Any) -> Any:
        side.assign_add(1.0)
        return x * 2.0

    @tf.function
    def pair(x: Any) -> Any:
        return x + 1.0, x + 2.0

    counter, kept = _Counter(step), {}
    for _ in range(3):
        counter.advance()
        counter.add()
    kept["last"] = step(counter.n)
    first, second = step(kept["last"]), step(tf.constant(100.0))
    less, more = pair(first)
    _total = step(less) + step(more) + second
    _inner = step(tf.constant(1.0) + 2.0)


def test_by_the_names_of_attributes_elements_and_several_targets(tmp_path: Path) -> None:
    values = shown(tmp_path, _program)
    assert values("self.n") == values("n") == [2, 3, 6, 7, 14, 15]
    assert values('kept["last"]') == values("kept['last']") == [30]
    assert values("first") == [60]
    assert values("second") == [200]
    assert values("less") == [61]
    assert values("more") == [62]
    assert values("_total") == [446]
    assert values("_inner") == [6]


def test_the_page_the_console_and_the_listing_agree(tmp_path: Path) -> None:
    reader = record(tmp_path, _program).reader
    opened = OpenedTrace(reader)
    for typed, total in (("self.n", 6), ("n", 6), ("less", 1)):
        assert history_of(reader, typed).total == total
        assert thinned_history(opened, typed, "", 1000).total == total
        assert len(find_tensor(opened, parse_tensor(typed), EVERYTHING).events) == total
    assert list_named({"": reader}, Selection(name="self.n")).listing.total == 6
    assert list_tensors(reader, Selection(name="mul")).total > 6


def test_the_call_that_traces_and_the_later_ones_are_one(tmp_path: Path) -> None:
    @tf.function
    def step(x: Any) -> Any:
        return x * 2.0

    def program() -> None:
        x = tf.constant(1.0)
        for _ in range(3):
            y = step(x)
            x = y + 0.0

    assert shown(tmp_path, program)("y") == [2, 4, 8]


def test_nothing_is_said_where_calls_on_a_line_can_not_be_told_apart(tmp_path: Path) -> None:
    @tf.function
    def step(x: Any) -> Any:
        return x * 2.0

    def program() -> None:
        for _ in range(2):
            _one, _two = step(tf.constant(1.0)), step(tf.constant(2.0))

    with pytest.raises(UsageError, match="no tensor '_one:0'"):
        shown(tmp_path, program)("_one")
