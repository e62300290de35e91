from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tensordbg.analysis.diff.sketches import COLUMNS, FIELDS, order_apart, read_sketches
from tensordbg.health.reference import sketch
from tensordbg.trace.schema import TENSORS


def table(*rows: dict[str, Any]) -> pa.Table:
    schema = pa.schema([TENSORS.field(name) for name in COLUMNS])
    return pa.Table.from_pylist([dict.fromkeys(COLUMNS) | row for row in rows], schema=schema)


def test_those_of_small_values_are_made_of_their_elements() -> None:
    small = np.array([[1.5, -2.0], [np.nan, 4.0]])
    rounded = (np.array([1.5, -2.0, 3.0], np.float32).view(np.uint32) >> 16).astype(np.uint16)
    rows = [
        {"dtype": "float64", "size": 4, "elements": small.tobytes()},
        {"dtype": "int32", "size": 2, "elements": b"12345678"},
        {"dtype": "float32", "size": 100, "sum_abs": 7.0, "sketch": [1.0, 2.0, 3.0, 4.0]},
        {"dtype": "bfloat16", "size": 3, "elements": rounded.tobytes()},
        {"dtype": "float32", "size": 1},
    ]
    found = read_sketches(table(*rows), np.array([0, 1, 2, 3, 4]))
    assert found[0] == pytest.approx(sketch(small))
    assert np.isnan(found[[1, 4]]).all()
    assert found[2].tolist() == [7.0, 1.0, 2.0, 3.0, 4.0]
    assert found[3] == pytest.approx(sketch(np.array([1.5, -2.0, 3.0])))
    some = read_sketches(pa.concat_tables([table(*rows), table(*rows)]), np.array([8, 2]))
    assert some == pytest.approx(found[[3, 2]])


def test_there_may_be_none() -> None:
    assert read_sketches(table(), np.empty(0, np.int64)).shape == (0, FIELDS)


def test_orders_are_about_one_apart() -> None:
    values = np.random.default_rng(1).normal(size=(20, 20))
    a, b = sketch(values)[None, 1:], sketch(values.T)[None, 1:]
    squares = np.array([np.square(values).sum()])
    assert order_apart(a, a, squares)[0] == 0
    assert 0.3 < order_apart(a, b, squares)[0] < 6
    assert np.isnan(order_apart(a, np.full((1, 4), np.nan), squares)[0])
