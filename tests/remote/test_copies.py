"""Traces in object storage are read as those on the disk are, and no further than is asked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tensordbg.analysis.query import sql
from tensordbg.errors import TraceError, UsageError
from tensordbg.remote import copies
from tensordbg.remote.copies import at_hand, copy_of, let_go, named
from tensordbg.remote.storage import Storage
from tensordbg.remote.uploading import Uploading
from tensordbg.trace.folders.runs import find_run
from tensordbg.trace.locate import find_trace, list_traces
from tensordbg.trace.reader import TraceReader, open_trace
from tensordbg.trace.sealed.seal import seal_all, seal_full_segments
from tests.remote.object_storage import BUCKET, Server
from tests.trace.builder import TraceBuilder, kept, small_program
from tests.trace.realistic import realistic_trace
from tests.trace.samples import all_tables, eventful_trace


@pytest.fixture
def address(request: pytest.FixtureRequest, s3: Server) -> str:
    return f"s3://{BUCKET}/{request.node.name}"


def put(folder: Path, address: str) -> None:
    done = Uploading(folder, Storage(address)).finish()
    assert not done.failure


def sealed(folder: Path) -> Path:
    eventful_trace(folder).finish()
    seal_all(folder)
    return folder


def large(folder: Path, address: str) -> tuple[TraceReader, TraceReader, int]:
    """A trace of several groups of rows, here and there, and its size."""
    trace = realistic_trace(folder / "big", 150)
    seal_all(trace)
    put(trace, address)
    return open_trace(trace), open_trace(address), sum(part.stat().st_size for part in trace.glob("*.parquet"))


def brought(reader: TraceReader) -> int:
    copy = copy_of(reader.path)
    assert copy is not None
    return copy.brought


def test_every_table_reads_as_it_does_here(tmp_path: Path, address: str) -> None:
    trace = sealed(tmp_path / "one")
    put(tmp_path, address)
    assert all_tables(open_trace(address)) == all_tables(trace)
    assert find_trace(address).name == "one"
    assert [each.folder.name for each in find_run(address).processes] == ["one"]
    assert open_trace(f"{address}/one").count("tensors") == open_trace(trace).count("tensors")


def test_a_trace_that_is_not_sealed_yet(tmp_path: Path, address: str) -> None:
    trace = eventful_trace(tmp_path / "one").kill()
    put(tmp_path, address)
    assert all_tables(open_trace(address)) == all_tables(trace)


def test_a_trace_that_is_sealed_in_part(tmp_path: Path, address: str) -> None:
    trace = eventful_trace(tmp_path / "one").kill()
    assert seal_full_segments(trace)
    put(tmp_path, address)
    there = open_trace(address)
    query = "select op_type, count(*) as n, max(step) as last from events where nan > 0 group by op_type"
    assert sql(there, query).equals(sql(open_trace(trace), query))
    assert all_tables(there) == all_tables(trace)


def test_kept_elements(tmp_path: Path, address: str) -> None:
    build = TraceBuilder(tmp_path / "one")
    build.describe(small_program())
    build.begin(5, 0, 0)
    build.graph_tensor(50, 0, kept(np.arange(6, dtype=np.float32).reshape(2, 3)))
    seal_all(build.finish())
    put(tmp_path, address)
    assert open_trace(address).value(0).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_slice_brings_its_group_of_rows_alone(tmp_path: Path, address: str) -> None:
    here, there, size = large(tmp_path, address)
    assert there.tensor_count == here.tensor_count
    rows = there.tensors(20_000, 20_010)
    assert rows.equals(here.tensors(20_000, 20_010))
    assert 0 < brought(there) < 0.75 * size
    before = brought(there)
    there.tensors(20_020, 20_030)
    assert brought(there) == before, "what is here is not asked for again"


def test_groups_of_rows_without_trouble_are_left_out(tmp_path: Path, address: str) -> None:
    _, there, size = large(tmp_path, address)
    answer = sql(there, "select count(*) as n from events where nan > 0")
    assert answer.column("n").to_pylist() == [0]
    assert brought(there) < 0.3 * size


def test_a_query_brings_its_columns(tmp_path: Path, address: str) -> None:
    here, there, size = large(tmp_path, address)
    query = "select op_type, sum(size) as n, max(step) as last from events group by op_type order by op_type"
    assert sql(there, query).equals(sql(here, query))
    assert brought(there) < 0.5 * size
    every = "select * from tensors order by event limit 50"
    assert sql(there, every).equals(sql(here, every))
    with pytest.raises(UsageError, match="no answer to the query"):
        sql(there, "select nothing from tensors")


def test_what_a_plan_does_not_tell_is_brought_too(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there, _ = large(tmp_path, address)
    monkeypatch.setattr("tensordbg.analysis.query.needs_of_plan", lambda plan: ())
    query = "select sum(size) as n from tensors where step > 3"
    assert sql(there, query).equals(sql(here, query))


def test_what_goes_on_is_seen(tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "FRESH", 0.0)
    build = eventful_trace(tmp_path / "one")
    build.kill()
    uploading = Uploading(tmp_path, Storage(address))
    uploading.put()
    assert open_trace(address).tensor_count == 0, "nothing is sealed"
    assert open_trace(address).sites()
    seal_all(tmp_path / "one")
    uploading.put()
    assert open_trace(address).tensor_count == open_trace(tmp_path / "one").tensor_count > 0
    sealed(tmp_path / "two")
    uploading.put()
    assert [each.name for each in list_traces(address)] == ["one", "two"]


def test_faults_on_the_way_change_nothing(tmp_path: Path, address: str, s3: Server) -> None:
    trace = sealed(tmp_path / "one")
    put(tmp_path, address)
    s3.faults.errors, s3.faults.drops = 2, 2
    assert all_tables(open_trace(address)) == all_tables(trace)
    assert (s3.faults.errors, s3.faults.drops) == (0, 0)


def test_a_damaged_part_is_refused(tmp_path: Path, address: str) -> None:
    trace = sealed(tmp_path / "one")
    part = trace / "tensors-000000.parquet"
    data = bytearray(part.read_bytes())
    data[len(data) // 3] ^= 1
    part.write_bytes(data)
    put(tmp_path, address)
    with pytest.raises(TraceError, match=r"tensors-000000.parquet: can't be read"):
        open_trace(address).table("tensors")


def test_a_part_that_is_gone_is_named(tmp_path: Path, address: str) -> None:
    sealed(tmp_path / "one")
    put(tmp_path, address)
    Storage(address).delete("one/tensors-000000.parquet")
    with pytest.raises(TraceError, match=r"tensors-000000.parquet: is missing, but the trace names it"):
        open_trace(address).table("tensors")


def test_nothing_is_there(address: str) -> None:
    with pytest.raises(TraceError, match="holds no trace"):
        find_trace(address)


def test_messages_name_the_address(address: str) -> None:
    folder = at_hand(address)
    assert at_hand(folder) == folder
    assert named(f"{folder}/one/trace.json: is missing") == f"{address}/one/trace.json: is missing"
    assert named("/tmp/other") == "/tmp/other"


def test_a_copy_that_is_let_go_leaves_nothing(tmp_path: Path, address: str) -> None:
    sealed(tmp_path / "one")
    put(tmp_path, address)
    reader = open_trace(f"{address}/one")
    reader.table("sites")
    let_go(f"{address}/one")
    let_go(tmp_path)
    assert copy_of(reader.path) is None
    assert not reader.path.parent.exists()
    assert tmp_path.exists()
    assert len(open_trace(f"{address}/one").table("sites"))


def test_a_file_larger_than_any_is_not_brought(tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sealed(tmp_path / "one")
    put(tmp_path, address)
    monkeypatch.setattr(copies, "_MOST_WHOLE", 100)
    with pytest.raises(OSError, match="at most 100 are read"):
        copies.bring(at_hand(address) / "one" / "trace.json")
