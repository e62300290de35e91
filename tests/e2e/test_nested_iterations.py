"""In loops of one another `show` tells the iteration of each, and of a loop alone its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.analysis.tensors.show import history_of
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.table.history import thinned_history
from tensordbg.console.pages.tensor_page import Look, tensor_page
from tensordbg.console.pages.tensor_rows import TensorRows
from tensordbg.report.listing import iteration_text
from tensordbg.trace.reader import TraceReader
from tests.backends.tensorflow.recorded import record


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> TraceReader:
    @tf.function
    def twice(x: Any) -> Any:
        moved = x + 1.0
        for _ in tf.range(2):
            moved = moved * 2.0
        return moved

    @tf.function
    def table(x: Any) -> Any:
        total = tf.constant(0.0)
        for i in tf.range(2):
            for j in tf.range(3 - i):
                product = tf.cast(10 * i + j, tf.float32) * x
                total += product
            last = twice(total)
            total += last
        return total

    return record(tmp_path_factory.mktemp("nested"), lambda: [table(tf.constant(1.0)), table(tf.constant(2.0))]).reader


@pytest.mark.parametrize(
    ("name", "iterations"),
    [
        ("product", ["0.0", "0.1", "0.2", "1.0", "1.1"]),
        ("i", ["0", "1"]),
        ("moved", ["0.0", "0.1", "0.2", "1.0", "1.1", "1.2"]),  # in the function that is called in the loop
    ],
)
def test_every_iteration_is_told(reader: TraceReader, name: str, iterations: list[str]) -> None:
    history = history_of(reader, name, "twice" if name == "moved" else "table")
    in_loops = [each for each in history.points if each.iteration is not None and each.op_type != "AddV2"]
    assert [iteration_text(each) for each in in_loops] == 2 * iterations


def test_the_page_and_the_console_tell_them(reader: TraceReader) -> None:
    opened = OpenedTrace(reader)
    points = thinned_history(opened, "product", "table", 100).points
    assert [each.iterations for each in points] == 2 * [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
    events = [each.event for each in points]
    assert [each.iterations for each in opened.rows(events)] == [each.iterations for each in points]
    lines = TensorRows(opened, np.array(events), steps=True).part(3, 5)
    assert [line[0].text.split() for line in lines] == [["0", "1.0"], ["0", "1.1"]]
    page = tensor_page(opened, events[4], Look())
    assert any("step 0, iteration 1.1 of " in "".join(span.text for span in line) for line in page.lines(0, 10))


def test_in_a_loop_alone_the_iteration_is_one_number(reader: TraceReader) -> None:
    points = thinned_history(OpenedTrace(reader), "i", "table", 100).points
    assert {each.iterations for each in points} == {()}
