"""Heads of pages that ask for more than the file holds are refused before anybody makes room for it."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tensordbg.errors import TraceError
from tensordbg.trace.sealed.page_heads import ColumnExtent, check_columns
from tensordbg.trace.sealed.parts import Part, open_part, write_part

SCHEMA = pa.schema(
    [("event", pa.int64()), ("word", pa.dictionary(pa.int32(), pa.string())), ("inputs", pa.list_(pa.int64()))]
)
ROWS = 40_000
BILLIONS = 2**31 - 1


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Part]:
    folder = tmp_path_factory.mktemp("part")
    words = [f"word {number % 300}" * 50 for number in range(ROWS)]
    inputs = [[number * 7919, -number] for number in range(ROWS)]
    table = pa.table({"event": range(ROWS), "word": words, "inputs": inputs}).cast(SCHEMA)
    return folder, write_part(folder, "x.parquet", [table], SCHEMA)


def number(value: int) -> bytes:
    """As Thrift writes a number."""
    value, data = value * 2 if value >= 0 else -2 * value - 1, b""
    while value > 127:
        data += bytes([value & 127 | 128])
        value >>= 7
    return data + bytes([value])


def head(kind: int, unpacked: int, packed: int, count: int, encoding: int) -> bytes:
    """The head of a page; the fields are those of the format."""
    content = b"\x15" + number(count) + b"\x15" + number(encoding) + b"\x15\x06\x15\x06\x00"
    field = {0: b"\x2c", 2: b"\x4c"}.get(kind, b"\x2c")
    return b"\x15" + number(kind) + b"\x15" + number(unpacked) + b"\x15" + number(packed) + field + content + b"\x00"


def test_all_that_is_written_is_sound(sound: tuple[Path, Part]) -> None:
    folder, part = sound
    held = open_part(folder, part)
    assert held.parquet.read().num_rows == ROWS
    kinds = {held.parquet.metadata.row_group(0).column(number).has_dictionary_page for number in range(3)}
    assert kinds == {True, False}


def test_a_page_that_says_billions_of_bytes(sound: tuple[Path, Part], tmp_path: Path) -> None:
    folder, part = sound
    data = bytearray((folder / part.file).read_bytes())
    column = pq.read_metadata(folder / part.file).row_group(1).column(2)
    extent = ColumnExtent.of(column)
    forged = head(0, BILLIONS, extent.packed - len(head(0, BILLIONS, extent.packed, ROWS, 5)), extent.values, 5)
    data[extent.begin : extent.begin + len(forged)] = forged
    (tmp_path / part.file).write_bytes(data)
    with pytest.raises(TraceError, match="the pages of a column are larger than its file says at the end"):
        open_part(tmp_path, part)


TELLING: dict[str, tuple[bytes, dict[str, int]]] = {
    "more than any has": (head(0, 100, 0, 1, 0), {"unpacked": 2**40}),
    "more than any has ": (head(0, 100, 0, 1, 0), {"values": 2**40}),
    "larger than its file says": (head(0, 101, 0, 1, 0), {}),
    "larger than its file says ": (2 * head(0, 10, 0, 1, 0), {}),
    "can't be": (head(0, -1, 0, 1, 0), {}),
    "can't be ": (head(0, 1, -5, 1, 0), {}),
    "can't be  ": (head(2, 10, 0, BILLIONS, 0), {}),
    "never written": (head(3, 10, 0, 1, 0), {}),
    "never written ": (head(0, 10, 0, 1, 7), {}),
    "has no end": (head(0, 10, 0, 1, 0)[:-1], {}),
    "has no end ": (b"\x15" + b"\xff" * 20, {}),
    "nested deeper": (b"\x1c" * 200, {}),
    "holds what none does": (b"\x1b\x00", {}),
}
"""For what is said a head, and what the footer says otherwise than it should."""


@pytest.mark.parametrize("said", TELLING)
def test_what_is_refused(tmp_path: Path, said: str) -> None:
    data, other = TELLING[said]
    path = tmp_path / "page"
    path.write_bytes(data)
    extent = ColumnExtent(**{"begin": 0, "packed": len(data), "unpacked": 100, "values": 1, **other})
    with path.open("rb") as file, pytest.raises(ValueError, match=re.escape(said.strip())):
        check_columns(file.fileno(), [extent])


def test_long_statistics_in_a_head_are_passed_over(tmp_path: Path) -> None:
    """The longest and shortest of texts stand in the head of their page."""
    table = pa.table({"text": ["a" * 3000, "b" * 3000]})
    part = write_part(tmp_path, "x.parquet", [table], table.schema)
    assert open_part(tmp_path, part).parquet.read().equals(table)
