"""The result of a call in a graph is found under the name that the caller gives to it, in that call alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.analysis.names.listing import Order, Selection
from tensordbg.analysis.tensors.named_listing import list_named
from tensordbg.analysis.tensors.show import history_of
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.table.history import thinned_history
from tensordbg.trace.reader import TraceReader
from tests.backends.tensorflow.recorded import record, scalars, shown


class _Inner:
    deep: Any = None


class _Model(tf.Module):
    def __init__(self) -> None:
        self.box = _Inner()
        self.state: dict[str, Any] = {}

    @tf.function
    def step(self, x: Any) -> Any:
        return x * 2.0

    @tf.function
    def mapped(self, x: Any) -> Any:
        return x * 2.0

    @tf.function
    def around(self, x: Any) -> Any:
        return self.step(x + 1.0)

    @tf.function
    def pair(self, x: Any) -> Any:
        return x + 10.0, (x + 20.0, x + 30.0)

    @tf.function
    def run(self, x: Any) -> Any:
        self.n = self.step(x)
        self.state["h"] = self.around(self.n)
        self.box.deep = self.step(self.state["h"])
        left, (self.state["m"], right) = self.pair(self.box.deep)
        plain, (also, third) = x + 3.0, (x + 4.0, x + 5.0)
        first, *_rest = self.pair(x)
        for _ in range(2):
            unrolled = self.step(right)
            right = unrolled + 1.0
        for _ in tf.range(2):
            looped = self.step(right)
            right = looped + 2.0
        return left + self.state["m"] + plain + also + third + first + right


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> TraceReader:
    model = _Model()

    def program() -> None:
        for start in (1.0, 2.0):
            result = model.run(tf.constant(start))
            _again = model.around(result)
        for _ in tf.data.Dataset.from_tensors(5.0).map(lambda each: _mapped(model, each)):
            pass

    return record(tmp_path_factory.mktemp("trace"), program).reader


def _mapped(model: _Model, each: Any) -> Any:
    in_pipeline = model.mapped(each)
    return in_pipeline + 1.0


def test_by_attributes_elements_and_several_targets_in_those_calls_alone(reader: TraceReader) -> None:
    expected = {
        "self.n": [2, 4],
        "self.state['h']": [6, 10],
        "self.box.deep": [12, 20],
        "left": [22, 30],
        "self.state['m']": [32, 40],
        "plain": [4, 5],
        "also": [5, 6],
        "first": [11, 12],
        "unrolled": [84, 170, 100, 202],
        "looped": [342, 688, 406, 816],
        "in_pipeline": [10],
    }
    assert {name: scalars(reader, name) for name in expected} == expected


def test_eager_code_and_what_a_called_function_hands_on_from_another(reader: TraceReader) -> None:
    results = scalars(reader, "result")
    assert scalars(reader, "_again") == [2 * (each + 1) for each in results]


def test_what_the_listing_prints_is_what_show_and_the_page_find(reader: TraceReader) -> None:
    rows = list_named({"": reader}, Selection(), order=Order(limit=0)).listing.rows
    opened = OpenedTrace(reader)
    for name in ("self.n", "self.state['h']", "left", "looped", "result", "_again", "in_pipeline"):
        listed = [row.event for row in rows if name in row.python_names]
        assert listed, name
        assert sorted(point.event for point in history_of(reader, name).points) == listed, name
        assert sorted(point.event for point in thinned_history(opened, name, "", 1000).points) == listed, name


def test_behind_a_star_the_places_are_not_known(tmp_path: Path) -> None:
    @tf.function
    def three(x: Any) -> Any:
        return x + 1.0, x + 2.0, x + 3.0

    def program() -> None:
        one, *_middle = three(tf.constant(1.0))
        *_begin, _last = three(one)

    reader = record(tmp_path, program).reader
    assert scalars(reader, "one") == [2]
    rows = list_named({"": reader}, Selection(), order=Order(limit=0)).listing.rows
    assert not {name for row in rows for name in row.python_names} & {"*_middle", "_middle", "_last"}


def test_a_branch_calls_its_own(tmp_path: Path) -> None:
    @tf.function
    def double(x: Any) -> Any:
        return x * 2.0

    @tf.function
    def choose(x: Any) -> Any:
        if x > 0.0:
            y = double(x)
            z = y + 1.0
        else:
            z = double(-x)
        return z

    def program() -> None:
        for start in (3.0, -4.0):
            choose(tf.constant(start))

    values = shown(tmp_path, program)
    assert values("y") == [6]
    assert set(values("z")) == {7, 8}
