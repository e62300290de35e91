from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tensordbg.errors import TraceError
from tensordbg.trace import migrations
from tensordbg.trace.migrations import MIGRATIONS, Migration, check_version
from tensordbg.trace.reader import open_trace
from tensordbg.trace.schema import FORMAT_VERSION
from tensordbg.trace.sealed import seal
from tests.trace.builder import TraceBuilder, small_program
from tests.trace.samples import all_tables, eventful_trace


def rename(row: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    return {new if key == old else key: value for key, value in row.items()}


OLDER = Migration(
    metadata=lambda row: rename(row, "program_name", "program"),
    row=lambda name, row: rename(row, "op", "op_type") if name == "sites" else row,
    table=lambda name, table: (
        table.rename_columns(["event" if column == "number" else column for column in table.column_names])
        if name == "tensors"
        else table
    ),
)
"""An invented version 0, in which three things had other names."""


def make_older(trace: Path) -> None:
    """Turns a trace into one of that version."""
    path = trace / "trace.json"
    path.write_text(json.dumps({**rename(json.loads(path.read_text()), "program", "program_name"), "format": 0}))


@pytest.fixture
def older(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MIGRATIONS, 0, OLDER)


@pytest.mark.usefixtures("older")
def test_older_json_lines_are_read(trace: Path) -> None:
    expected = all_tables(trace)
    make_older(trace)
    sites = [rename(json.loads(line), "op_type", "op") for line in (trace / "sites.jsonl").read_text().splitlines()]
    (trace / "sites.jsonl").write_text("".join(json.dumps(site) + "\n" for site in sites))
    assert open_trace(trace).metadata.program == "train"
    assert all_tables(trace) == expected


@pytest.mark.usefixtures("older")
def test_older_sealed_tables_are_read(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = all_tables(trace)
    names = ["number" if name == "event" else name for name in seal.TENSORS.names]
    schema = pa.schema([field.with_name(name) for field, name in zip(seal.TENSORS, names, strict=True)])
    write = seal.write_part

    def write_older(folder: Path, file: str, tables: Any, table_schema: pa.Schema) -> Any:
        if table_schema is seal.TENSORS:
            return write(folder, file, (table.rename_columns(names) for table in tables), schema)
        return write(folder, file, tables, table_schema)

    monkeypatch.setattr(seal, "write_part", write_older)
    seal.seal_all(trace)
    make_older(trace)
    assert all_tables(trace) == expected
    reader = open_trace(trace)
    assert reader.tensors(3, 5, ["event"])["event"].to_pylist() == [3, 4]
    assert sum(map(len, reader.scan(["event"]))) == reader.tensor_count
    assert reader.sealed_files("tensors") == ()


@pytest.mark.usefixtures("older")
def test_older_trace_is_not_sealed_as_a_present_one(trace: Path) -> None:
    make_older(trace)
    with pytest.raises(TraceError, match=f"has format 0 and can't be sealed as {FORMAT_VERSION}; read it as it is"):
        seal.seal_all(trace)


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (FORMAT_VERSION + 1, f"format {FORMAT_VERSION + 1} is newer than {FORMAT_VERSION}, .*; upgrade tensordbg"),
        (0, "format 0 is too old to be read here; record again"),
        ("1", "format '1' is not a number; restore trace.json from a copy, or record again"),
        (True, "format True is not a number"),
    ],
)
def test_versions_that_can_not_be_read(version: object, message: str) -> None:
    with pytest.raises(TraceError, match=message):
        check_version(version)


def test_present_version_needs_no_migration() -> None:
    assert check_version(FORMAT_VERSION) == FORMAT_VERSION
    row = {"a": 1}
    assert migrations.upgrade_row(FORMAT_VERSION, "sites", row) is row


def test_there_is_a_way_from_every_version_since_the_first() -> None:
    assert list(MIGRATIONS) == list(range(1, FORMAT_VERSION))


def test_columns_of_version_2_are_empty_in_a_trace_of_version_1(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seal.seal_all(trace)
    expected = all_tables(trace)
    write = seal.write_part

    def write_first(folder: Path, file: str, tables: Any, schema: pa.Schema) -> Any:
        kept = [name for name in schema.names if name not in {"layer", "tracing", "trainable"}]
        return write(folder, file, (table.select(kept) for table in tables), pa.schema(map(schema.field, kept)))

    copy = eventful_trace(trace.parent / "first").finish()
    monkeypatch.setattr(seal, "write_part", write_first)
    seal.seal_all(copy)
    path = copy / "trace.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 1}))
    assert all_tables(copy) == expected
    assert {site.layer for site in open_trace(copy).sites().values()} == {""}


@pytest.fixture
def of_a_pipeline(tmp_path: Path) -> Path:
    """A trace of two elements that a pipeline's function computed at once."""
    build = TraceBuilder(tmp_path / "pipeline")
    build.describe(small_program())
    for step_id, site in ((77, 3), (78, 3), (77, 4), (78, 4)):
        build.graph_tensor(step_id, site)
    return build.finish()


def test_before_version_3_all_that_is_sealed_is_the_run_of_its_execution(
    of_a_pipeline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = of_a_pipeline
    expected = all_tables(trace)
    assert [row["run"] for row in expected["tensors"]] == [1, 2, 1, 2]
    write = seal.write_part

    def write_second(folder: Path, file: str, tables: Any, schema: pa.Schema) -> Any:
        kept = [name for name in schema.names if name != "run"]
        return write(folder, file, (table.select(kept) for table in tables), pa.schema(map(schema.field, kept)))

    monkeypatch.setattr(seal, "write_part", write_second)
    seal.seal_all(trace)
    path = trace / "trace.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 2}))
    assert all_tables(trace)["tensors"] == [{**row, "run": 0} for row in expected["tensors"]]


def test_raw_events_of_an_older_trace_tell_the_runs_too(of_a_pipeline: Path) -> None:
    expected = all_tables(of_a_pipeline)
    path = of_a_pipeline / "trace.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 2}))
    assert all_tables(of_a_pipeline) == expected


def test_what_a_migration_does_not_mention_stays() -> None:
    table = pa.table({"a": [1]})
    same = Migration()
    assert same.metadata({"a": 1}) == {"a": 1}
    assert same.row("sites", {"a": 1}) == {"a": 1}
    assert same.table("sites", table) is table


def test_of_a_version_that_lacks_columns_only_those_are_read_that_are_asked_for(
    trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal.seal_all(trace)
    expected = [row["step"] for row in all_tables(trace)["tensors"]]
    path = trace / "trace.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 4}))
    read, asked = pq.ParquetFile.read_row_groups, list[list[str] | None]()

    def noting(self: Any, groups: Any, columns: Any = None) -> pa.Table:
        asked.append(columns)
        return read(self, groups, columns=columns)

    monkeypatch.setattr(pq.ParquetFile, "read_row_groups", noting)
    reader = open_trace(trace)
    assert reader.tensors(0, reader.tensor_count, ["step"])["step"].to_pylist() == expected
    assert pa.concat_tables(reader.scan(["step"], pc.field("event") >= 0))["step"].to_pylist() == expected
    assert asked == [["step"], ["event", "step"]]
