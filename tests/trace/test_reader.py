from __future__ import annotations

import contextlib
import functools
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tensordbg.errors import TraceError, UsageError
from tensordbg.model import Detail
from tensordbg.trace.program.facts import End
from tensordbg.trace.reader import TraceReader, list_traces, open_trace
from tensordbg.trace.schema import TABLES
from tensordbg.trace.sealed.seal import seal_all, seal_full_segments
from tests.trace.builder import CLOCK_OFFSET, TraceBuilder, small_program
from tests.trace.samples import all_tables, eventful_trace

STATES: list[Callable[[Path], Any]] = [lambda trace: None, seal_full_segments, seal_all]


@pytest.fixture(params=STATES, ids=["raw", "partly sealed", "sealed"])
def reader(trace: Path, request: pytest.FixtureRequest) -> TraceReader:
    request.param(trace)
    return open_trace(trace)


def test_what_is_known_of_the_trace(reader: TraceReader, trace: Path) -> None:
    assert reader.path == trace
    assert reader.metadata.program == "train"
    assert reader.metadata.detail is Detail.HEALTH
    assert reader.facts.frameworks == {"tensorflow": "2.21.0"}
    assert isinstance(reader.facts.end, End)
    assert reader.finished
    assert not reader.running
    assert reader.damage == 0


def test_rows_that_are_sealed_are_counted_without_reading_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = eventful_trace(tmp_path).finish()
    counts = {name: open_trace(trace).count(name) for name in TABLES if name != "tensors"}
    seal_all(trace)

    def unread(*_: Any, **__: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr("tensordbg.trace.sealed.parts.open_part", unread)
    monkeypatch.setattr("tensordbg.trace.sealed.part_reading.open_part", unread)
    sealed = open_trace(trace)
    assert {name: sealed.count(name) for name in counts} == counts


@pytest.mark.parametrize("name", TABLES)
def test_every_table_has_its_schema(reader: TraceReader, name: str) -> None:
    table = reader.table(name)
    assert table.schema == TABLES[name]
    assert len(table) == reader.count(name)
    first = TABLES[name].names[:2]
    assert reader.table(name, first).column_names == first


def test_slices_of_events(reader: TraceReader) -> None:
    count = reader.tensor_count
    for begin, end in [(0, count), (3, 4), (14, 30), (count - 1, count + 10), (5, 5), (-3, 2), (count, count + 1)]:
        found = reader.tensors(begin, end, ["event"])["event"].to_pylist()
        assert found == list(range(max(begin, 0), min(end, count)))
    assert reader.tensors(2, 1).schema == TABLES["tensors"]


@pytest.mark.parametrize("block", [4, 7, 65536])
def test_events_by_number_in_the_order_asked_for(
    reader: TraceReader, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tensordbg.trace.reader.ROW_GROUP", block)
    columns = ["event", "device", "shape", "iteration"]
    whole = reader.table("tensors", columns)
    for wanted in ([], [0], [reader.tensor_count - 1, 3, 3, 0, 9]):
        events = np.array(wanted, dtype=np.int64)
        assert reader.take(events, columns).to_pylist() == whole.take(events).to_pylist()
    assert reader.take(np.array([5])).schema == TABLES["tensors"]


def test_filtered_events_without_the_columns_filtered_by(reader: TraceReader) -> None:
    rows = reader.table("tensors").to_pylist()
    expected = [row["event"] for row in rows if row["nan"] and row["device"] == "/device:CPU:0"]
    where = (pc.field("nan") > 0) & (pc.field("device") == "/device:CPU:0")
    assert reader.matching(where, ["event"])["event"].to_pylist() == expected
    assert [event for table in reader.scan(["event"], where) for event in table["event"].to_pylist()] == expected
    assert len(expected) == 6
    assert reader.matching(pc.field("site") == 99).schema == TABLES["tensors"]


def test_scan_gives_everything_in_order(reader: TraceReader) -> None:
    events = [event for table in reader.scan(["event"]) for event in table["event"].to_pylist()]
    assert events == list(range(reader.tensor_count))


def test_executions_are_in_order_of_their_number(reader: TraceReader) -> None:
    executions = reader.table("executions").to_pylist()
    assert [row["execution"] for row in executions] == list(range(1, 15))
    assert [row["execution"] for row in executions if row["end_ns"] is None] == [14]
    assert [row["step"] for row in executions if row["failed"]] == [3]
    assert executions[12]["inputs"] == list(range(72))


def test_model_dataclasses_by_number(reader: TraceReader) -> None:
    program = small_program()
    assert tuple(reader.sites().values()) == program.sites
    assert tuple(reader.functions().values()) == program.functions
    assert tuple(reader.stacks().values()) == program.stacks
    assert tuple(reader.variables().values()) == program.variables
    assert tuple(reader.sources().values()) == program.sources
    assert reader.paths() == {0: "", 1: "call"}
    assert reader.sites() is reader.sites()


def test_sealed_files_and_raw_events_make_up_the_whole(reader: TraceReader) -> None:
    import pyarrow.parquet as pq

    sealed = sum(pq.read_metadata(path).num_rows for path in reader.sealed_files("tensors"))
    assert sealed + len(reader.raw_tensors()) == reader.tensor_count


def test_unknown_tables_and_columns(reader: TraceReader) -> None:
    with pytest.raises(UsageError) as caught:
        reader.table("tensor")
    assert str(caught.value) == (
        "table 'tensor' is not in a trace; choose one of edges, executions, functions, paths, sites, sources, stacks, "
        "tensors, variables"
    )
    with pytest.raises(UsageError, match=r"^column 'x' is not in table paths; choose from path, name$"):
        reader.table("paths", ["x"])
    with pytest.raises(UsageError, match="column 'x' is not in table tensors"):
        reader.tensors(0, 1, ["x"])


@pytest.mark.parametrize("state", STATES, ids=["raw", "partly sealed", "sealed"])
def test_reader_that_was_open_while_the_trace_was_sealed(trace: Path, state: Callable[[Path], Any]) -> None:
    expected = all_tables(trace)
    state(trace)
    reader = open_trace(trace)
    seal_all(trace)
    assert all_tables(reader) == expected


def test_killed_program(tmp_path: Path) -> None:
    reader = open_trace(eventful_trace(tmp_path / "trace").kill())
    assert not reader.finished
    assert not reader.running
    assert reader.facts.end is None
    assert reader.tensor_count == 34


def test_running_program(tmp_path: Path) -> None:
    build = TraceBuilder(tmp_path / "trace", pid=os.getpid())
    build.describe(small_program())
    build.eager_tensor(build.begin(6), 6)
    reader = open_trace(build.kill())
    assert reader.running
    assert reader.tensor_count == 1
    build.eager_tensor(1, 6)
    build.kill()
    assert reader.tensor_count == 1
    assert open_trace(build.folder).tensor_count == 2


def test_killed_in_the_midst_of_a_line(trace: Path) -> None:
    expected = all_tables(trace)
    for path in trace.glob("*.jsonl"):
        with path.open("a") as file:
            file.write('{"site": 12, "na')
    reader = open_trace(trace)
    assert all_tables(reader) == expected
    assert reader.damage == 0


def test_killed_before_anything_was_recorded(tmp_path: Path) -> None:
    build = TraceBuilder(tmp_path / "trace")
    shutil.rmtree(build.folder / "segments")
    build.writer.close()
    reader = open_trace(build.folder)
    assert {name: reader.count(name) for name in TABLES} == {name: int(name == "paths") for name in TABLES}


def test_folder_of_traces_means_the_newest(tmp_path: Path) -> None:
    for name in ("a", "b"):
        TraceBuilder(tmp_path / name).kill()
    assert open_trace(tmp_path).path == list_traces(tmp_path)[-1] == tmp_path / "b"
    assert open_trace(str(tmp_path / "a")).path == tmp_path / "a"


def test_two_programs_in_one_folder_do_not_meet(tmp_path: Path) -> None:
    first, second = (TraceBuilder(tmp_path / name) for name in ("a", "b"))
    for build in (first, second):
        build.describe(small_program())
        build.eager_tensor(build.begin(6), 6)
    second.eager_tensor(1, 6)
    assert open_trace(first.finish()).tensor_count == 1
    assert open_trace(second.finish()).tensor_count == 2
    assert len(list_traces(tmp_path)) == 2


def test_missing_part_is_named(trace: Path) -> None:
    seal_all(trace)
    (trace / "tensors-000000.parquet").unlink()
    with pytest.raises(TraceError) as caught:
        open_trace(trace).table("tensors")
    path = trace / "tensors-000000.parquet"
    expected = f"{path}: is missing, but the trace names it; restore the file from a copy, or record again"
    assert str(caught.value) == expected


def test_times_are_since_1970(reader: TraceReader) -> None:
    assert min(reader.table("tensors", ["time_ns"])["time_ns"].to_pylist()) >= CLOCK_OFFSET


# Damage of any kind, to any file.


@pytest.fixture(scope="module", params=STATES, ids=["raw", "partly sealed", "sealed"])
def original(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    trace = eventful_trace(tmp_path_factory.mktemp("original") / "trace").finish()
    request.param(trace)
    return trace


DAMAGES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "cut": lambda data, chance: data[: chance.randrange(len(data) + 1)],
    "bit": lambda data, chance: flip(data, chance, 1),
    "bits": lambda data, chance: flip(data, chance, 30),
    "random": lambda data, chance: chance.randbytes(chance.randrange(2000)),
    "empty": lambda data, chance: b"",
    "hole": lambda data, chance: data[: len(data) // 3] + bytes(len(data) // 3) + data[2 * (len(data) // 3) :],
    "longer": lambda data, chance: data + chance.randbytes(300),
}


def flip(data: bytes, chance: random.Random, count: int) -> bytes:
    changed = bytearray(data)
    for _ in range(count if data else 0):
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(changed)


@contextlib.contextmanager
def only_trace_errors() -> Iterator[None]:
    """Any other exception fails the test."""
    with contextlib.suppress(TraceError):
        try:
            yield
        except TraceError as error:
            if "\n" in str(error):
                raise AssertionError(f"more than one line: {error}") from error
            raise


def read_everything(trace: Path) -> None:
    with only_trace_errors():
        reader = open_trace(trace)
        steps: list[Callable[[], Any]] = [
            *(functools.partial(read_table, reader, name) for name in TABLES),
            lambda: (reader.sites(), reader.functions(), reader.stacks(), reader.variables(), reader.paths()),
            lambda: (reader.facts, reader.running),
            lambda: reader.damage,
            lambda: reader.tensors(3, 7).to_pylist(),
            lambda: reader.matching(pc.field("nan") > 0, ["event"]),
        ]
        for step in steps:
            with only_trace_errors():
                step()


def read_table(reader: TraceReader, name: str) -> None:
    table = reader.table(name)
    table.validate(full=True)
    table.to_pylist()


def files_of(trace: Path) -> list[Path]:
    return [path for path in sorted(trace.rglob("*")) if path.is_file()]


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32), kind=st.sampled_from(sorted(DAMAGES)))
def test_damaged_files_give_trace_errors_or_what_is_intact(original: Path, seed: int, kind: str) -> None:
    chance = random.Random(seed)
    path = chance.choice(files_of(original))
    data = path.read_bytes()
    path.write_bytes(DAMAGES[kind](data, chance))
    try:
        read_everything(original)
    finally:
        path.write_bytes(data)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32), kind=st.sampled_from(sorted(DAMAGES)))
def test_sealing_a_damaged_trace_gives_trace_errors_or_seals_what_is_intact(
    original: Path, tmp_path_factory: pytest.TempPathFactory, seed: int, kind: str
) -> None:
    chance = random.Random(seed)
    trace = tmp_path_factory.mktemp("damaged") / "trace"
    shutil.copytree(original, trace)
    path = chance.choice(files_of(trace))
    path.write_bytes(DAMAGES[kind](path.read_bytes(), chance))
    with only_trace_errors():
        seal_all(trace)
    read_everything(trace)


def test_every_file_may_be_missing(original: Path, tmp_path: Path) -> None:
    for index, path in enumerate(files_of(original)):
        trace = tmp_path / str(index)
        shutil.copytree(original, trace)
        (trace / path.relative_to(original)).unlink()
        read_everything(trace)
