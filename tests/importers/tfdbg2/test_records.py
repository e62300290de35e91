from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.errors import TraceError
from tensordbg.importers.tfdbg2.records import read_records
from tests.importers.tfdbg2.logbuilder import record

DATA = [b"one", b"", b"three" * 100]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "records"
    path.write_bytes(b"".join(map(record, DATA)))
    return path


def test_records_come_in_order(path: Path) -> None:
    assert list(read_records(path)) == DATA


def test_a_cut_tail_is_left_out(path: Path) -> None:
    whole = path.read_bytes()
    for length in range(len(record(DATA[0])), len(whole)):
        path.write_bytes(whole[:length])
        assert list(read_records(path)) == DATA[: 2 if length >= len(record(b"one") + record(b"")) else 1]


def test_every_changed_byte_is_noticed(path: Path) -> None:
    whole = bytearray(path.read_bytes())
    for position in range(0, len(whole), 3):
        whole[position] ^= 0x10
        path.write_bytes(whole)
        with pytest.raises(TraceError, match="is damaged"):
            list(read_records(path))
        whole[position] ^= 0x10


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="can't be read"):
        list(read_records(tmp_path / "none"))
