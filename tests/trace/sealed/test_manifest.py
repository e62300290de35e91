from __future__ import annotations

import json
from pathlib import Path

import pytest

from tensordbg.errors import TraceError
from tensordbg.trace.sealed.manifest import MANIFEST, Manifest, read_manifest, write_manifest
from tensordbg.trace.sealed.parts import Part

FULL = Manifest(
    next_segment=3,
    damaged_slots=1,
    damaged_lines=2,
    tensors=(Part("tensors-000000.parquet", 10, 1000, 77),),
    executions=(Part("executions-000000.parquet", 4, 900, 78),),
    tables={"sites": Part("sites.parquet", 2, 800, 79)},
    complete=True,
    decoder={"events": 10},
)


def test_comes_back(tmp_path: Path) -> None:
    write_manifest(tmp_path, FULL)
    assert read_manifest(tmp_path) == FULL
    assert [path.name for path in tmp_path.iterdir()] == [MANIFEST]


def test_trace_that_was_never_sealed(tmp_path: Path) -> None:
    assert read_manifest(tmp_path) == Manifest()


def test_knows_the_files_that_count() -> None:
    assert FULL.files == {"tensors-000000.parquet", "executions-000000.parquet", "sites.parquet"}


@pytest.mark.parametrize(
    "change", [{"next_segment": None}, {"tensors": [{"file": "x"}]}, {"tables": 3}, {"decoder": 4}]
)
def test_damaged(tmp_path: Path, change: dict[str, object]) -> None:
    write_manifest(tmp_path, FULL)
    path = tmp_path / MANIFEST
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(TraceError, match=r"sealed.json: can't be read"):
        read_manifest(tmp_path)


def test_part_outside_of_the_folder_is_refused(tmp_path: Path) -> None:
    write_manifest(tmp_path, Manifest(tensors=(Part("../other/tensors.parquet", 1, 1, 1),)))
    with pytest.raises(TraceError, match="is no part"):
        read_manifest(tmp_path)
