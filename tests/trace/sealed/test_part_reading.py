from __future__ import annotations

from pathlib import Path

import pyarrow.compute as pc
import pytest

from tensordbg.errors import TraceError
from tensordbg.trace.reader import open_trace
from tensordbg.trace.schema import FORMAT_VERSION
from tensordbg.trace.sealed import parts
from tensordbg.trace.sealed.manifest import read_manifest
from tensordbg.trace.sealed.part_reading import SealedPart
from tensordbg.trace.sealed.seal import seal_all


@pytest.fixture
def part(trace: Path, monkeypatch: pytest.MonkeyPatch) -> SealedPart:
    """With row groups of 10."""
    monkeypatch.setattr(parts, "ROW_GROUP", 10)
    seal_all(trace)
    return SealedPart(trace, read_manifest(trace).tensors[0], "tensors", FORMAT_VERSION)


@pytest.mark.parametrize(("begin", "end"), [(0, 1), (9, 11), (0, 30), (10, 20), (29, 34)])
def test_slices(part: SealedPart, begin: int, end: int) -> None:
    assert part.tensors(["event"], begin, end)["event"].to_pylist() == list(range(begin, end))


def test_slice_reads_only_its_row_groups(part: SealedPart, monkeypatch: pytest.MonkeyPatch) -> None:
    file, asked = part._held.parquet, []
    read = file.read_row_groups

    class Watched:
        metadata = file.metadata

        def read_row_groups(self, groups: list[int], columns: list[str]) -> object:
            asked.append((groups, columns))
            return read(groups, columns=columns)

    monkeypatch.setattr(part._held, "parquet", Watched())
    part.tensors(["site", "nan"], 12, 25)
    assert asked == [([1, 2], ["site", "nan"])]


def test_columns_come_in_the_order_asked_for(part: SealedPart) -> None:
    assert part.tensors(["nan", "event"], 0, 3).column_names == ["nan", "event"]
    assert part.scan(["nan", "event"], None).column_names == ["nan", "event"]


def test_scan_filters_by_columns_that_are_not_wanted(part: SealedPart) -> None:
    everything = part.read().to_pylist()
    expected = [row["event"] for row in everything if row["shape"] == "[2, 3]" and row["site"] == 1]
    found = part.scan(["event"], (pc.field("shape") == "[2, 3]") & (pc.field("site") == 1))
    assert found["event"].to_pylist() == expected
    assert expected


def test_more_rows_promised_than_there_are(part: SealedPart) -> None:
    with pytest.raises(TraceError, match="has fewer rows"):
        part.tensors(["event"], 10_000, 10_001)


def test_damage_in_the_data_is_found_when_it_is_read(trace: Path) -> None:
    seal_all(trace)
    path = next(trace.glob("tensors-*.parquet"))
    data = bytearray(path.read_bytes())
    for position in range(4, len(data) // 3):
        data[position] ^= 0xFF
    path.write_bytes(data)
    reader = open_trace(trace)
    with pytest.raises(TraceError, match="can't be read"):
        reader.table("tensors")
    with pytest.raises(TraceError, match="can't be read"):
        list(reader.scan())
