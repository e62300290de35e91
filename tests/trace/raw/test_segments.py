from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tensordbg.trace.raw.record import RECORD_SIZE, TENSOR_RECORD, RecordKind
from tensordbg.trace.raw.segments import map_segment, segment_files


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Segment 2 of 8 slots, all filled."""
    records = np.zeros(8, dtype=TENSOR_RECORD)
    records["sequence"] = 17 + np.arange(8)
    records["kind"] = RecordKind.GRAPH_TENSOR
    records["time_ns"] = 100 - np.arange(8)
    (tmp_path / "segments").mkdir()
    path = tmp_path / "segments" / "000002.bin"
    records.tofile(path)
    return path


def change(path: Path, row: int, **values: int) -> None:
    records = np.fromfile(path, dtype=TENSOR_RECORD)
    for name, value in values.items():
        records[name][row] = value
    records.tofile(path)


def test_full_segment(path: Path) -> None:
    segment = map_segment(path, 2, 8)
    assert segment.rows.tolist() == list(range(8))
    assert segment.full
    assert segment.damaged == 0
    assert segment.newest_ns == 100


def test_slots_that_were_never_finished_are_skipped(path: Path) -> None:
    change(path, 3, sequence=0)
    segment = map_segment(path, 2, 8)
    assert segment.rows.tolist() == [0, 1, 2, 4, 5, 6, 7]
    assert segment.damaged == 0
    assert not segment.full


@pytest.mark.parametrize("values", [{"sequence": 3}, {"kind": 0}, {"kind": 6}])
def test_slots_that_hold_something_else_are_skipped_and_counted(path: Path, values: dict[str, int]) -> None:
    change(path, 5, **values)
    segment = map_segment(path, 2, 8)
    assert segment.rows.tolist() == [0, 1, 2, 3, 4, 6, 7]
    assert segment.damaged == 1


@pytest.mark.parametrize(("size", "count"), [(0, 0), (255, 0), (3 * RECORD_SIZE + 100, 3)])
def test_of_a_cut_file_the_whole_records_are_read(path: Path, size: int, count: int) -> None:
    path.write_bytes(path.read_bytes()[:size])
    segment = map_segment(path, 2, 8)
    assert len(segment.rows) == count
    assert not segment.full


def test_file_that_is_too_long_is_read_as_far_as_it_should_be(path: Path) -> None:
    path.write_bytes(path.read_bytes() * 2)
    assert len(map_segment(path, 2, 8).rows) == 8


def test_what_is_written_later_is_not_looked_at(path: Path) -> None:
    change(path, 7, sequence=0)
    segment = map_segment(path, 2, 8)
    with path.open("r+b") as file:
        file.seek(7 * RECORD_SIZE)
        file.write((24).to_bytes(8, "little"))
    assert len(segment.rows) == 7


def test_lists_segments_by_number(path: Path) -> None:
    for name in ("000010.bin", "1000000.bin", "notes.bin", "000001.tmp"):
        (path.parent / name).touch()
    assert list(segment_files(path.parent.parent)) == [2, 10, 1_000_000]


def test_trace_without_segments(tmp_path: Path) -> None:
    assert segment_files(tmp_path) == {}
