from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

from tensordbg.errors import TraceError, UsageError
from tensordbg.trace import export as export_module
from tensordbg.trace.export import export
from tensordbg.trace.reader import open_trace
from tensordbg.trace.schema import TABLES
from tensordbg.trace.sealed.seal import seal_all
from tests.trace.builder import TraceBuilder
from tests.trace.samples import all_tables


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return pq.read_table(folder / f"{name}.parquet").to_pylist()


def test_exports_every_table(trace: Path, tmp_path: Path) -> None:
    out = tmp_path / "a" / "out"
    files = export(open_trace(trace), out)
    assert files == [out / f"{name}.parquet" for name in TABLES]
    assert sorted(path for path in out.parent.rglob("*.parquet")) == sorted(files)
    for name, table in all_tables(trace).items():
        assert len(rows(out, name)) == len(table)
        assert set(TABLES[name].names) <= set(pq.read_schema(out / f"{name}.parquet").names)


def test_names_stand_beside_numbers(trace: Path, tmp_path: Path) -> None:
    export(open_trace(trace), tmp_path / "out")
    tensors = rows(tmp_path / "out", "tensors")
    names = [(row["site"], row["site_name"], row["op_type"], row["function_name"]) for row in tensors]
    assert (1, "Log", "Log", "train") in names
    assert (6, "Add", "AddV2", None) in names
    assert {row["path_name"] for row in tensors} == {""}
    executions = rows(tmp_path / "out", "executions")
    assert {(row["function"], row["function_name"], row["site_name"]) for row in executions} == {
        (0, "train", "train"),
        (-1, None, "Add"),
    }
    assert rows(tmp_path / "out", "sites")[3]["function_name"] == "inner"


def test_large_tables_come_in_pieces(trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_module, "_ROWS", 7)
    seal_all(trace)
    export(open_trace(trace), tmp_path / "out")
    assert [row["event"] for row in rows(tmp_path / "out", "tensors")] == list(range(34))


def test_other_tools_read_it(trace: Path, tmp_path: Path) -> None:
    export(open_trace(trace), tmp_path / "out")
    assert len(pd.read_parquet(tmp_path / "out" / "tensors.parquet")) == 34
    assert pl.read_parquet(tmp_path / "out" / "tensors.parquet")["dtype"].to_list().count("bfloat16") == 6


def test_empty_trace(tmp_path: Path) -> None:
    export(open_trace(TraceBuilder(tmp_path / "trace").finish()), tmp_path / "out")
    assert rows(tmp_path / "out", "tensors") == []


def test_nothing_is_overwritten(trace: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    for folder in (tmp_path / "out", tmp_path / "out" / "mine"):
        with pytest.raises(UsageError) as caught:
            export(open_trace(trace), folder)
        assert str(caught.value) == (
            f"{folder}: is there already, and nothing is overwritten; choose a folder that does not exist"
        )


def test_empty_folder_is_used(trace: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert len(export(open_trace(trace), tmp_path / "out")) == len(TABLES)


def test_place_that_can_not_be_written(trace: Path) -> None:
    with pytest.raises(UsageError, match=r"^/proc/out: can't be written \(.*\); choose a folder"):
        export(open_trace(trace), Path("/proc/out"))


def test_nothing_is_left_where_the_trace_is_damaged(trace: Path, tmp_path: Path) -> None:
    seal_all(trace)
    (trace / "tensors-000000.parquet").write_bytes(b"PAR1")
    with pytest.raises(TraceError):
        export(open_trace(trace), tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["trace"]
