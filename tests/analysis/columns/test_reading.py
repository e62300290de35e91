"""Columns of tables as arrays."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tensordbg.analysis.columns.reading import (
    flat_lists,
    floats,
    integers,
    shape_of,
    spread_ranges,
    tensor_pieces,
    words,
)
from tensordbg.errors import TraceError
from tests.analysis.builder import TraceBuilder


def test_integers() -> None:
    table = pa.table({"a": pa.array([1, None, 3])})
    assert integers(table, "a", -1).tolist() == [1, -1, 3]
    assert integers(pa.table({"a": pa.chunked_array([[1], [2, 3]])}), "a").tolist() == [1, 2, 3]


def test_floats() -> None:
    table = pa.table({"a": pa.chunked_array([[1.5], [None, 3.0]])})
    np.testing.assert_array_equal(floats(table, "a"), [1.5, np.nan, 3.0])


def test_words() -> None:
    pieces = [pa.array(piece).dictionary_encode() for piece in (["a", "b", None], ["b", "c"])]
    numbers, texts = words(pa.table({"a": pa.chunked_array(pieces)}), "a")
    assert [None if number < 0 else texts[number] for number in numbers.tolist()] == ["a", "b", None, "b", "c"]
    empty = pa.table({"a": pa.chunked_array([], pa.dictionary(pa.int32(), pa.string()))})
    assert [len(part) for part in words(empty, "a")] == [0, 0]


def test_flat_lists() -> None:
    lists = pa.chunked_array(
        [pa.array([[1, 2], []], pa.list_(pa.int64())), pa.array([[3], None], pa.list_(pa.int64()))]
    )
    starts, values = flat_lists(pa.table({"a": lists}), "a")
    assert starts.tolist() == [0, 2, 2, 3, 3]
    assert values.tolist() == [1, 2, 3]


def test_spread_ranges() -> None:
    owner, position = spread_ranges(np.array([5, 0, 9]), np.array([2, 0, 3]))
    assert owner.tolist() == [0, 0, 2, 2, 2]
    assert position.tolist() == [5, 6, 9, 10, 11]


def test_pieces_of_the_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensordbg.analysis.columns.reading._PIECE", 2)
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    for _ in range(5):
        trace.run(f).event(x, [1.0])
    pieces = [(rows, table["event"].to_pylist()) for rows, table in tensor_pieces(trace, ["event"])]
    assert pieces == [(slice(0, 2), [0, 1]), (slice(2, 4), [2, 3]), (slice(4, 5), [4])]


def test_shapes() -> None:
    assert shape_of("[2, 3]") == (2, 3)
    assert shape_of(None) is None
    with pytest.raises(TraceError, match="is no shape of a tensor: the trace is damaged"):
        shape_of("[[")
