"""What eager code takes out of a dataset bears the names of its targets, as the element is made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest
import tensorflow as tf

from tensordbg.analysis.names.listing import Order, Selection
from tensordbg.analysis.tensors.named_listing import list_named
from tensordbg.analysis.tensors.show import history_of
from tensordbg.backends.tensorflow.internals import iterator_ops
from tensordbg.trace.reader import TraceReader
from tests.backends.tensorflow.recorded import record, scalars


class _Pair(NamedTuple):
    low: Any
    high: Any


class _Doubling:
    def __call__(self, item: Any) -> Any:
        return item["w"] * 2.0


def _program() -> None:
    rows = tf.data.Dataset.from_tensor_slices({"w": [1.0, 2.0], "ids": [3.0, 4.0]})
    iterator = iter(rows)
    batch = next(iterator)
    _first = batch["w"] + 1.0
    for row in rows:
        _second = row["ids"] + 1.0
    nested = tf.data.Dataset.from_tensors((5.0, (6.0, 7.0)))
    for left, (middle, right) in nested:
        _third = left + middle + right
    one, two = iter(nested).get_next()
    for _place, several in enumerate(nested):
        _fourth = several[0] + two[1] + one
    for low, high in rows.map(lambda each: _Pair(each["w"], each["ids"])):
        _fifth = low + high
    _listed = [doubled + 1.0 for doubled in rows.map(_Doubling())]
    for early, late in zip(rows, rows, strict=True):
        _sixth = early["w"] + late["w"]
    others = tf.data.Dataset.range(8, 10)
    for ours, (_, other) in zip(rows, enumerate(others), strict=True):
        _eighth = ours["w"] + tf.cast(other, tf.float32)
    first, *_rest = iter(nested).get_next()
    _seventh = first + 1.0


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> TraceReader:
    return record(tmp_path_factory.mktemp("trace"), _program).reader


def test_by_keys_places_fields_and_what_unpacks_them(reader: TraceReader) -> None:
    expected = {
        "batch['ids']": [3],
        "batch['w']": [1],
        "row['ids']": [3, 4],
        "row['w']": [1, 2],
        "left": [5],
        "middle": [6],
        "right": [7],
        "one": [5],
        "two[0]": [6],
        "two[1]": [7],
        "several[0]": [5],
        "several[1][1]": [7],
        "low": [1, 2],
        "high": [3, 4],
        "doubled": [2, 4],
        "ours['w']": [1, 2],
        "other": [8, 9],
    }
    assert {name: scalars(reader, name) for name in expected} == expected


def test_a_called_objects_argument_has_the_name_of_its_parameter(reader: TraceReader) -> None:
    assert sorted(scalars(reader, "item['ids']")) == [3, 4]
    assert sorted(scalars(reader, "item['w']")) == [1, 2]


def test_the_listing_prints_what_show_finds(reader: TraceReader) -> None:
    rows = list_named({"": reader}, Selection(name="IteratorGetNext"), order=Order(limit=0)).listing.rows
    names = {name for row in rows for name in row.python_names}
    assert {"batch['w']", "row['w']", "middle", "two[1]", "doubled"} <= names
    # Of a dataset that a zip has twice, and what is behind a star, is not told.
    assert not {"early", "late", "early['w']", "first", "_place"} & names
    for name in sorted(names):
        assert {point.event for point in history_of(reader, name).points} == {
            row.event for row in rows if name in row.python_names
        }, name


def test_what_is_relied_on_in_tensorflow() -> None:
    iterator: Any = iter(tf.data.Dataset.range(1))
    assert isinstance(iterator, iterator_ops.OwnedIterator)
    assert callable(iterator._next_internal)
    assert isinstance(iterator.element_spec, tf.TensorSpec)


def test_none_is_told_of_programs_without_such(tmp_path: Path) -> None:
    reader = record(tmp_path, lambda: tf.constant(1.0) + 1.0).reader
    assert not [row for row in list_named({"": reader}, Selection()).listing.rows if "IteratorGetNext" in row.op_name]
