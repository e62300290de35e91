from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tensordbg.errors import UsageError
from tensordbg.trace.schema import TENSORS
from tensordbg.trace.selecting import columns_of, filtered, put_together


def test_columns() -> None:
    assert columns_of("tensors", None) == TENSORS.names
    assert columns_of("tensors", ("nan", "event")) == ["nan", "event"]
    with pytest.raises(UsageError, match="table 'tensor' is not in a trace; choose one of"):
        columns_of("tensor", None)
    with pytest.raises(UsageError, match="column 'nans' is not in table tensors; choose from"):
        columns_of("tensors", ["nans"])


def test_tables_put_together() -> None:
    parts = [pa.table({"event": pa.array(numbers, TENSORS.field("event").type)}) for numbers in ([0, 1], [2])]
    assert put_together(parts, ["event"]).column("event").to_pylist() == [0, 1, 2]
    assert put_together([], ["event", "nan"]).schema.names == ["event", "nan"]


def test_rows() -> None:
    table = pa.table({"event": [0, 1, 2], "nan": [0, 5, 0]})
    assert filtered(table, ["event"], pc.field("nan") > 0).to_pydict() == {"event": [1]}
    assert filtered(table, ["nan"], None).num_rows == 3
