from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tensordbg.errors import TraceError
from tensordbg.trace.reader import open_trace
from tensordbg.trace.sealed import seal
from tensordbg.trace.sealed.manifest import read_manifest
from tensordbg.trace.sealed.seal import seal_all, seal_full_segments
from tests.trace.builder import Tensor, TraceBuilder, small_program
from tests.trace.realistic import realistic_trace
from tests.trace.samples import all_tables, eventful_trace, threaded_trace

SEALED_FILES = {
    *("edges.parquet", "executions-all.parquet", "facts.jsonl", "functions.parquet", "paths.parquet", "sealed.json"),
    *(
        "sites.parquet",
        "sources.parquet",
        "stacks.parquet",
        "tensors-000000.parquet",
        "trace.json",
        "variables.parquet",
    ),
}


def eventful(folder: Path) -> Path:
    return eventful_trace(folder).finish()


def threaded(folder: Path) -> Path:
    return threaded_trace(folder, seed=1)[0].finish()


def killed(folder: Path) -> Path:
    return threaded_trace(folder, seed=2)[0].kill()


def empty(folder: Path) -> Path:
    return TraceBuilder(folder).finish()


def eager(folder: Path) -> Path:
    build = TraceBuilder(folder)
    build.describe(small_program())
    for step in range(30):
        build.eager_tensor(build.begin(6, step=step, inputs=range(step)), 6)
    return build.finish()


TRACES = [eventful, threaded, killed, empty, eager]


def segment_by_segment(trace: Path) -> None:
    """Seals as the segments of a running program become full."""
    waiting = trace.parent / "waiting"
    (trace / "segments").rename(waiting)
    (trace / "segments").mkdir()
    for segment in sorted(waiting.iterdir()):
        segment.rename(trace / "segments" / segment.name)
        seal_full_segments(trace)
    seal_all(trace)


def in_two_parts(trace: Path) -> None:
    seal_full_segments(trace)
    seal_all(trace)


@pytest.mark.parametrize("how", [seal_all, seal_full_segments, in_two_parts, segment_by_segment])
@pytest.mark.parametrize("make", TRACES)
def test_sealed_trace_reads_as_before(tmp_path: Path, make: Callable[[Path], Path], how: Callable[[Path], Any]) -> None:
    trace = make(tmp_path / "trace")
    before, description = all_tables(trace), described(trace)
    how(trace)
    assert all_tables(trace) == before
    assert described(trace) == description


def described(trace: Path) -> list[Any]:
    reader = open_trace(trace)
    return [
        *(reader.sites(), reader.functions(), reader.stacks(), reader.sources(), reader.variables(), reader.paths()),
        *(reader.facts, reader.metadata, reader.tensor_count, reader.damage),
    ]


def test_everything_is_sealed_and_the_rest_is_gone(trace: Path) -> None:
    count = open_trace(trace).tensor_count
    assert seal_all(trace) == count
    assert {path.name for path in trace.iterdir()} == SEALED_FILES
    assert seal_all(trace) == 0
    assert seal_full_segments(trace) == 0


def test_tables_can_be_read_as_they_lie(trace: Path) -> None:
    expected = open_trace(trace).table("tensors", ["event", "shape"])
    seal_all(trace)
    tables = [pq.read_table(path, columns=["event", "shape"]) for path in sorted(trace.glob("tensors-*.parquet"))]
    assert [row for table in tables for row in table.to_pylist()] == expected.to_pylist()


def test_many_segments_make_several_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seal, "PART_RECORDS", 64)
    trace = threaded(tmp_path / "trace")
    before = all_tables(trace)
    seal_all(trace)
    assert len(list(trace.glob("tensors-*.parquet"))) > 3
    assert all_tables(trace) == before


def test_segment_that_is_written_is_not_touched(tmp_path: Path) -> None:
    trace = eager(tmp_path / "trace")
    last = max((trace / "segments").iterdir())
    seal_full_segments(trace)
    assert list((trace / "segments").iterdir()) == [last]


def test_segment_with_a_hole_waits_until_it_can_not_be_filled_any_more(
    trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = max(segment.newest_ns for segment in seal._Sealing(trace, seal._present_format(trace)).segments())
    monkeypatch.setattr(seal.time, "monotonic_ns", lambda: newest)
    assert seal_full_segments(trace) < open_trace(trace).tensor_count
    waiting = len(list((trace / "segments").iterdir()))
    assert waiting > 1
    monkeypatch.setattr(seal.time, "monotonic_ns", lambda: newest + seal.GRACE_NS + 1)
    seal_full_segments(trace)
    assert len(list((trace / "segments").iterdir())) == 1


class Crash(BaseException):
    """Stands for the end of the process: nothing is done to the disk afterwards, not even tidying up."""


class Disk:
    """Lets so many changes of the disk happen and then ends the process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, changes: int) -> None:
        self.left = changes
        for owner, name in [(Path, "replace"), (Path, "unlink"), (Path, "rmdir"), (pq.ParquetWriter, "write_table")]:
            monkeypatch.setattr(owner, name, self.limited(getattr(owner, name)))

    def limited(self, change: Callable[..., Any]) -> Callable[..., Any]:
        def do(*arguments: Any, **options: Any) -> Any:
            if self.left == 0:
                raise Crash
            self.left -= 1
            return change(*arguments, **options)

        return do


def crash(trace: Path, how: Callable[[Path], Any], changes: int) -> bool:
    """Seals with a crash after so many changes; gives whether it came to that."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        Disk(monkeypatch, changes)
        try:
            how(trace)
        except Crash:
            return True
    return False


@pytest.mark.parametrize("how", [seal_all, segment_by_segment])
def test_crash_at_any_point_neither_loses_nor_doubles_anything(
    tmp_path: Path, how: Callable[[Path], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seal, "PART_RECORDS", 128)
    original = threaded_trace(tmp_path / "original", seed=3, segment_records=64)[0].finish()
    before = all_tables(original)
    changes = 0
    while True:
        trace = tmp_path / str(changes) / "trace"
        shutil.copytree(original, trace)
        crashed = crash(trace, how, changes)
        waiting = trace.parent / "waiting"
        if waiting.exists():
            for segment in waiting.iterdir():
                segment.rename(trace / "segments" / segment.name)
        assert all_tables(trace) == before
        seal_all(trace)
        assert all_tables(trace) == before
        assert not list(trace.glob("*.draft"))
        assert {path.name for path in trace.glob("*.parquet")} == read_manifest(trace).files
        if not crashed:
            break
        changes += 1
    assert changes > 25


def test_crash_in_the_midst_of_two_crashes(tmp_path: Path) -> None:
    trace = eventful(tmp_path / "trace")
    before = all_tables(trace)
    for changes in (3, 1, 5, 2, 9, 4):
        crash(trace, seal_all, changes)
        assert all_tables(trace) == before
    seal_all(trace)
    assert all_tables(trace) == before


def test_other_files_in_the_folder_are_left_alone(trace: Path) -> None:
    for name in ("mine.parquet", "notes.txt", "tensors-mine.parquet"):
        (trace / name).write_text("mine")
    seal_all(trace)
    assert {path.name for path in trace.iterdir()} == {
        *SEALED_FILES,
        "mine.parquet",
        "notes.txt",
        "tensors-mine.parquet",
    }


def test_sealing_beside_a_writer_and_a_reader(tmp_path: Path) -> None:
    original = threaded(tmp_path / "original")
    before = all_tables(original)["tensors"]
    trace = tmp_path / "trace"
    shutil.copytree(original, trace)
    for segment in (trace / "segments").iterdir():
        segment.unlink()
    failures: list[BaseException] = []
    done = threading.Event()

    def read() -> None:
        try:
            while not done.is_set():
                seen = all_tables(trace)["tensors"]
                assert seen == before[: len(seen)]
        except BaseException as error:  # noqa: BLE001  the test's own thread looks at it
            failures.append(error)

    reading = threading.Thread(target=read)
    reading.start()
    for segment in sorted((original / "segments").iterdir()):
        draft = trace / segment.name
        shutil.copy(segment, draft)
        draft.rename(trace / "segments" / segment.name)
        seal_full_segments(trace)
    seal_all(trace)
    done.set()
    reading.join()
    assert failures == []
    assert all_tables(trace)["tensors"] == before


def test_many_sealers_at_once(tmp_path: Path) -> None:
    trace = threaded(tmp_path / "trace")
    before = all_tables(trace)
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(seal_all(trace))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(counts) == [0] * 5 + [len(before["tensors"])]
    assert all_tables(trace) == before


def test_damaged_slots_and_lines_are_counted_once(trace: Path) -> None:
    with (trace / "sites.jsonl").open("a") as file:
        file.write("nothing\n")
    path = min((trace / "segments").iterdir())
    data = bytearray(path.read_bytes())
    data[0] = 99
    path.write_bytes(data)
    assert open_trace(trace).damage == 2
    seal_all(trace)
    assert open_trace(trace).damage == 2


def test_running_program_is_not_sealed_for_good(tmp_path: Path) -> None:
    build = TraceBuilder(tmp_path / "trace", pid=os.getpid())
    build.writer.close()
    with pytest.raises(TraceError) as caught:
        seal_all(build.folder)
    assert str(caught.value) == (
        f"{build.folder}: its program (process {os.getpid()}) is running; seal it when that has ended"
    )


def test_program_that_said_its_end_is_sealed_although_it_exists(tmp_path: Path) -> None:
    build = TraceBuilder(tmp_path / "trace", pid=os.getpid())
    build.describe(small_program())
    build.eager_tensor(build.begin(6), 6)
    assert seal_all(build.finish()) == 1


def test_trace_that_has_not_begun_has_nothing_to_seal(tmp_path: Path) -> None:
    assert seal_full_segments(tmp_path) == 0
    with pytest.raises(TraceError, match=r"trace.json: is missing"):
        seal_all(tmp_path)


def test_full_disk_is_told_in_one_line(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write_part(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    before = all_tables(trace)
    monkeypatch.setattr(seal, "write_part", write_part)
    with pytest.raises(TraceError) as caught:
        seal_all(trace)
    expected = f"{trace}: can't be sealed (No space left on device); make it writable or make room, then try again"
    assert str(caught.value) == expected
    assert all_tables(trace) == before


def test_what_is_open_stays_small_in_the_manifest(tmp_path: Path) -> None:
    trace = realistic_trace(tmp_path / "trace", steps=40, segment_records=4096)
    seal_full_segments(trace)
    assert len(json.dumps(read_manifest(trace).decoder)) < 3000


def test_an_event_takes_at_most_48_bytes(tmp_path: Path) -> None:
    trace = realistic_trace(tmp_path / "trace", steps=330)
    count = open_trace(trace).tensor_count
    seal_all(trace)
    assert count == 132_000
    assert sum(path.stat().st_size for path in trace.iterdir()) / count <= 48


def test_tensor_without_shape_or_health_survives(tmp_path: Path) -> None:
    build = TraceBuilder(tmp_path / "trace")
    build.eager_tensor(1, 6, Tensor(None, None))
    trace = build.finish()
    before = all_tables(trace)
    seal_all(trace)
    assert all_tables(trace) == before
