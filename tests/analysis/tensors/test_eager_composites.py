"""Ragged and sparse tensors of eager code are one value too: each with the parts of its own turn."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.names.listing import Selection
from tensordbg.analysis.tensors.composites import whole_values
from tensordbg.analysis.tensors.eager_composites import eager_composites
from tensordbg.analysis.tensors.named_listing import list_named
from tensordbg.analysis.tensors.show import history_of
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.console.pages.page import texts
from tensordbg.errors import UsageError
from tensordbg.trace.reader import TraceReader, open_trace
from tests.console.recorded import console_on

PRINTED: dict[str, list[str]] = {}


def keep(name: str, value: tf.RaggedTensor | tf.SparseTensor) -> None:
    PRINTED.setdefault(name, []).append(repr(value) if isinstance(value, tf.RaggedTensor) else str(value))


def two_lines(line: str) -> tf.RaggedTensor:
    words = tf.strings.split([line, ""])
    keep("words", words)
    return words


def program() -> None:
    numbers = tf.ragged.constant([[1.0, 2.0], [], [3.0, 4.0, 5.0]])
    doubled = numbers * 2
    total = tf.reduce_sum(doubled, axis=1)
    nested = tf.ragged.constant([[[1.0], []], [[2.0, 3.0]]])
    raised = nested + 1.0
    sparse = tf.sparse.from_dense([[0.0, 1.0], [2.0, 0.0]])
    squares = tf.sparse.map_values(tf.math.square, sparse)
    made = tf.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], [2, 2])
    dense = tf.sparse.to_dense(made)
    first, second = tf.ragged.constant([[1]]), tf.sparse.eye(3)
    for turn in range(1, 4):
        rows = tf.ragged.range([turn, 2])
        keep("rows", rows)
        if turn == 2:
            odd = tf.ragged.range([turn, 7]) + 1
            keep("odd", odd)
    two_lines("a b c")
    two_lines("d")
    assert total is not None
    assert dense is not None
    assert first is not None
    assert second is not None
    for name in ("numbers", "doubled", "nested", "raised", "sparse", "squares", "made"):
        keep(name, locals()[name])


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> TraceReader:
    with tensordbg.record(tmp_path_factory.mktemp("eager"), detail="values") as recording:
        program()
    return open_trace(recording.path)


NAMES = ["numbers", "doubled", "nested", "raised", "sparse", "squares", "made", "rows", "odd", "words"]


@pytest.mark.parametrize("name", NAMES)
def test_as_printed_in_each_turn(reader: TraceReader, name: str) -> None:
    points = history_of(reader, name).points
    texts = whole_values(reader, points)
    assert [texts.get(point.event) for point in points] == PRINTED[name]


def test_what_is_computed_of_them_is_a_tensor(reader: TraceReader) -> None:
    assert [point.text for point in history_of(reader, "total").points] == [""]
    (dense,) = history_of(reader, "dense").points
    assert dense.shape == (2, 2)


def test_two_of_one_line_are_not_told_apart(reader: TraceReader) -> None:
    for name in ("first", "second"):
        with pytest.raises(UsageError, match=f"no tensor '{name}:0'"):
            history_of(reader, name)


def test_the_listing_the_page_and_the_console_print_them_too(reader: TraceReader) -> None:
    printed = "<tf.RaggedTensor [[2.0, 4.0], [], [6.0, 8.0, 10.0]]>"
    (row,) = list_named({"": reader}, Selection(name="doubled")).listing.rows
    assert row.text == printed
    assert printed in {row.text for row in list_named({"": reader}, Selection()).listing.rows}
    assert OpenedTrace(reader).row(row.event).text == printed
    page = console_on(reader.path).answer("pt doubled").page
    assert f"  whole: {printed}" in texts(page)


def test_nothing_is_put_together_elsewhere(sample_reader: TraceReader) -> None:
    assert eager_composites(sample_reader, frozenset()) == {}


def test_the_program_computes_the_same(tmp_path: Path) -> None:
    def work() -> list[float]:
        rows = tf.ragged.constant([[1.0], [2.0, 3.0]]) * 1.1
        found: list[float] = np.asarray(tf.reduce_sum(rows, axis=0)).tolist()
        return found

    with tensordbg.record(tmp_path):
        recorded = work()
    assert recorded == work()
