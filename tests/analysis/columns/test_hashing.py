"""Keys of several columns, and looking rows up by them."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.columns.hashing import Lookup, mixed
from tensordbg.model import NONE


def test_keys_differ_where_any_column_does() -> None:
    a, b = np.meshgrid(np.arange(-1, 400), np.arange(-1, 400))
    assert len(np.unique(mixed(a.ravel(), b.ravel()))) == 401 * 401
    assert mixed(np.array([1]), np.array([2])) != mixed(np.array([2]), np.array([1]))


def test_lookup() -> None:
    lookup = Lookup.of(np.array([30, 10, 20]))
    assert lookup.find(np.array([10, 20, 30, 40, 0])).tolist() == [1, 2, 0, NONE, NONE]
    assert Lookup.of(np.array([30, 10]), np.array([7, 8])).find(np.array([10])).tolist() == [8]
    assert Lookup.of(np.array([], dtype=np.int64)).find(np.array([1, 2])).tolist() == [NONE, NONE]
