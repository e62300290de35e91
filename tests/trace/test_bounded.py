from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from tensordbg.trace.bounded import read_at_most

SCHEMA = pa.schema([("n", pa.int64())])


def batches(count: int, made: list[int]) -> pa.RecordBatchReader:
    def make() -> Iterator[pa.RecordBatch]:
        for number in range(count):
            made.append(number)
            yield pa.record_batch([pa.array([number] * 100)], SCHEMA)

    return pa.RecordBatchReader.from_batches(SCHEMA, make())


def test_what_fits_is_one_table() -> None:
    table = read_at_most(batches(3, []), 3 * 800)
    assert table is not None
    assert table["n"].to_pylist() == [0] * 100 + [1] * 100 + [2] * 100


def test_what_does_not_fit_is_read_no_further() -> None:
    made: list[int] = []
    assert read_at_most(batches(1000, made), 3 * 800) is None
    assert len(made) <= 5


def test_an_answer_without_rows_has_its_columns() -> None:
    table = read_at_most(batches(0, []), 0)
    assert table is not None
    assert table.schema == SCHEMA
