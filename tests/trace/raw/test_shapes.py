from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensordbg.trace.raw import shapes
from tensordbg.trace.raw.record import MAX_DIMS

SHAPES = st.lists(st.none() | st.lists(st.integers(0, 2**32 - 1), max_size=MAX_DIMS), max_size=20)


def columns(wanted: list[list[int] | None]) -> tuple[np.ndarray, np.ndarray]:
    """Ranks and dimensions; what lies behind a rank is anything."""
    dims = np.full((len(wanted), MAX_DIMS), 77, dtype=np.uint32)
    rank = np.full(len(wanted), shapes.UNKNOWN_RANK, dtype=np.uint8)
    for row, shape in enumerate(wanted):
        if shape is not None:
            rank[row] = len(shape)
            dims[row, : len(shape)] = shape
    return rank, dims


@given(SHAPES)
def test_spells_out_every_shape(wanted: list[list[int] | None]) -> None:
    words = shapes.shape_column(*columns(wanted)).to_pylist()
    assert [word and json.loads(word) for word in words] == wanted


def test_words_are_json_and_occur_once() -> None:
    column = shapes.shape_column(*columns([[100, 10], [], [100, 10], [1]]))
    assert column.to_pylist() == ["[100, 10]", "[]", "[100, 10]", "[1]"]
    assert len(column.dictionary) == 3


def test_shapes_whose_keys_are_equal_are_still_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "_FACTORS", np.zeros(MAX_DIMS + 1, dtype=np.uint64))
    wanted: list[Any] = [[2, 3], [3, 2], [2, 3], [6]]
    assert [json.loads(word) for word in shapes.shape_column(*columns(wanted)).to_pylist()] == wanted


def test_impossible_rank_is_taken_as_the_largest() -> None:
    rank = np.array([200], dtype=np.uint8)
    (word,) = shapes.shape_column(rank, np.ones((1, MAX_DIMS), dtype=np.uint32)).to_pylist()
    assert json.loads(word) == [1] * MAX_DIMS
