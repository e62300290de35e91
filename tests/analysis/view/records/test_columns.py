from __future__ import annotations

import math

import numpy as np
import pytest

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.records.columns import Columns


@pytest.mark.parametrize("name", ["step", "iteration", "slot", "size", "nan", "time_ns", "value_position"])
def test_whole_numbers_are_those_of_the_table(varied: OpenedTrace, name: str) -> None:
    given = varied.reader.table("tensors", [name]).column(name).to_pylist()
    assert varied.columns.whole(name).tolist() == [-1 if value is None else value for value in given]


def test_real_numbers(varied: OpenedTrace) -> None:
    given = varied.reader.table("tensors", ["max"]).column("max").to_pylist()
    assert any(value is None for value in given)
    np.testing.assert_array_equal(varied.columns.real("max"), [math.nan if value is None else value for value in given])


@pytest.mark.parametrize("name", ["device", "dtype", "shape"])
def test_words(varied: OpenedTrace, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tensordbg.analysis.columns.reading._PIECE", 50)  # words are numbered anew in every piece
    words = Columns(varied).words(name)
    given = varied.reader.table("tensors", [name]).column(name).to_pylist()
    assert [None if code < 0 else words.texts[code] for code in words.code.tolist()] == given
    assert len(set(words.texts)) == len(words.texts)


def test_non_finite(varied: OpenedTrace) -> None:
    rows = varied.rows(range(varied.event_count))
    counts = [-1 if row.health is None else row.health.non_finite for row in rows]
    assert varied.columns.non_finite().tolist() == counts
    assert varied.columns.bad().tolist() == [count > 0 for count in counts]


@pytest.mark.parametrize("large", [2**40, -(2**31) - 1, -(2**63)])
def test_large_numbers_take_more_room(varied: OpenedTrace, monkeypatch: pytest.MonkeyPatch, large: int) -> None:
    columns = Columns(varied)
    assert columns.whole("step").dtype == np.int32
    monkeypatch.setattr("tensordbg.analysis.view.records.columns.integers", lambda *_, **__: np.array([large]))
    monkeypatch.setattr("tensordbg.analysis.view.records.columns.tensor_pieces", lambda *_: [(slice(None), None)])
    assert (columns.whole("slot").dtype, columns.whole("slot")[0]) == (np.int64, large)
