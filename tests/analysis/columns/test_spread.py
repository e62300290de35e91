"""Marks reach everything that can be reached, whatever the order of the edges."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensordbg.analysis.columns import spread as module
from tensordbg.analysis.columns.spread import spread

EDGES = st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=60)


@pytest.fixture(autouse=True, scope="module", params=[3, 1 << 16])
def piece(request: pytest.FixtureRequest) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_PIECE", request.param)
        yield


@given(EDGES, st.permutations(range(20)), st.lists(st.integers(0, 19), max_size=4))
def test_against_plain_search(edges: list[tuple[int, int]], rank: list[int], starts: list[int]) -> None:
    marks = np.zeros(20, dtype=np.int64)
    for bit, start in enumerate(starts):
        marks[start] |= 1 << bit
    source, target = np.array([*edges, (0, 0)], dtype=np.int64).T
    found = spread(marks, source, target, np.array(rank))
    for bit, start in enumerate(starts):
        reached, fresh = {start}, [start]
        while fresh:
            node = fresh.pop()
            new = {end for begin, end in edges if begin == node} - reached
            reached |= new
            fresh += new
        assert {node for node in range(20) if found[node] >> bit & 1} == reached


def test_a_long_chain_against_its_order() -> None:
    length = 20_000
    marks = np.zeros(length, dtype=np.int64)
    marks[0] = 1
    found = spread(marks, np.arange(length - 1), np.arange(1, length), -np.arange(length))
    assert found.all()


def test_no_edges() -> None:
    none = np.empty(0, dtype=np.int64)
    assert spread(np.array([1, 0]), none, none, np.arange(2)).tolist() == [1, 0]
