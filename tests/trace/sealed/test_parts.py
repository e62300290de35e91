from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tensordbg.errors import TraceError
from tensordbg.trace.sealed.parts import ROW_GROUP, Part, open_part, write_part

SCHEMA = pa.schema([("event", pa.int64()), ("word", pa.dictionary(pa.int32(), pa.string())), ("sum", pa.float64())])
TABLE = pa.table({"event": range(10), "word": ["a", "b"] * 5, "sum": [0.5] * 10}).cast(SCHEMA)


@pytest.fixture
def part(tmp_path: Path) -> Part:
    return write_part(tmp_path, "tensors-000000.parquet", [TABLE, TABLE], SCHEMA)


def test_comes_back_and_any_tool_can_read_it(tmp_path: Path, part: Part) -> None:
    assert part.rows == 20
    expected = pa.concat_tables([TABLE, TABLE])
    assert open_part(tmp_path, part).parquet.read().equals(expected)
    assert pq.read_table(tmp_path / part.file).equals(expected)
    assert [path.name for path in tmp_path.iterdir()] == [part.file]


def test_rows_come_in_groups(tmp_path: Path) -> None:
    table = pa.table({"event": range(ROW_GROUP + 1)})
    part = write_part(tmp_path, "x.parquet", [table], table.schema)
    assert open_part(tmp_path, part).parquet.num_row_groups == 2


def test_nothing_is_left_of_a_writing_that_fails(tmp_path: Path) -> None:
    def tables() -> Iterator[pa.Table]:
        yield TABLE
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        write_part(tmp_path, "x.parquet", tables(), SCHEMA)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("position", [-1, -3, -8, -20, 200])
def test_changed_file_is_refused(tmp_path: Path, part: Part, position: int) -> None:
    path = tmp_path / part.file
    data = bytearray(path.read_bytes())
    data[position] ^= 0x10
    path.write_bytes(data)
    with pytest.raises((TraceError, OSError), match=r"can't be read|CRC|encoding"):
        open_part(tmp_path, part).parquet.read()


@pytest.mark.parametrize("size", [0, 7, 100])
def test_cut_file_is_refused(tmp_path: Path, part: Part, size: int) -> None:
    path = tmp_path / part.file
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(TraceError, match=f"{path}: can't be read"):
        open_part(tmp_path, part)


def test_missing_file_is_told_apart(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_part(tmp_path, Part("x.parquet", 1, 1, 1))
