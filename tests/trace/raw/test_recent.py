"""A trace that keeps only its last events: slots used again, in any order, give the same tables as a plain one."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

from tensordbg.model import Detail
from tensordbg.recording.log import EventLog
from tensordbg.trace.raw.recent import CHUNK, overwritten, read_recent
from tensordbg.trace.raw.record import TENSOR_RECORD, RecordKind
from tensordbg.trace.raw.segments import segment_files
from tensordbg.trace.reader import open_trace
from tensordbg.trace.sealed.manifest import read_manifest
from tensordbg.trace.sealed.seal import seal_all, seal_full_segments
from tests.trace.realistic import STEP_RECORDS, realistic_trace
from tests.trace.samples import all_tables, eventful_trace

SLOTS = 16


def shuffled(plain: Path, folder: Path, gone: int = 0) -> Path:
    """The same trace as one that keeps its last events: the records lie in any order, the first ones are gone."""
    shutil.copytree(plain, folder)
    row = json.loads((folder / "trace.json").read_text())
    (folder / "trace.json").write_text(json.dumps({**row, "last": 1000}))
    files = segment_files(folder)
    slots = row["segment_records"]
    records = np.concatenate([np.fromfile(path, TENSOR_RECORD) for path in files.values()])
    records["sequence"][:gone] = 0
    np.random.default_rng(5).shuffle(records)
    for index, path in files.items():
        records[index * slots : (index + 1) * slots].tofile(path)
    return folder


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    return eventful_trace(tmp_path / "plain").finish()


def test_the_order_is_that_of_the_sequence(plain: Path, tmp_path: Path) -> None:
    assert all_tables(open_trace(shuffled(plain, tmp_path / "recent"))) == all_tables(open_trace(plain))


def test_sealing_changes_nothing_and_leaves_no_segment(plain: Path, tmp_path: Path) -> None:
    recent = shuffled(plain, tmp_path / "recent")
    before = all_tables(open_trace(recent))
    assert seal_all(recent) == open_trace(plain).tensor_count
    assert all_tables(open_trace(recent)) == before
    assert not (recent / "segments").exists()
    assert seal_all(recent) == 0


def test_segments_are_not_sealed_while_they_may_be_written(plain: Path, tmp_path: Path) -> None:
    recent = shuffled(plain, tmp_path / "recent")
    count = len(segment_files(recent))
    assert seal_full_segments(recent) == 0
    assert len(segment_files(recent)) == count


def test_what_is_gone_is_counted_before_and_after_sealing(plain: Path, tmp_path: Path) -> None:
    complete = read_recent(segment_files(shuffled(plain, tmp_path / "complete")), SLOTS)
    never_finished = overwritten(complete)
    recent = shuffled(plain, tmp_path / "recent", gone=7)
    facts = open_trace(recent).facts
    assert (facts.last, facts.overwritten) == (1000, 7 + never_finished)
    seal_all(recent)
    assert open_trace(recent).facts == facts
    assert open_trace(plain).facts.overwritten == 0


def test_events_are_numbered_from_the_first_that_is_kept(plain: Path, tmp_path: Path) -> None:
    recent = open_trace(shuffled(plain, tmp_path / "recent", gone=7))
    assert recent.table("tensors", ["event"]).column(0).to_pylist() == list(range(recent.tensor_count))


def test_a_crash_before_the_lines_are_sealed_doubles_nothing(plain: Path, tmp_path: Path) -> None:
    recent = shuffled(plain, tmp_path / "recent")
    copy = shutil.copytree(recent, tmp_path / "copy")
    seal_all(copy)
    before = all_tables(open_trace(recent))
    # The events are sealed, the segments deleted, the lines are still there.
    for name in ("sites", "functions", "stacks", "sources", "variables", "names"):
        shutil.copy(recent / f"{name}.jsonl", copy)
    row = json.loads((copy / "sealed.json").read_text())
    (copy / "sealed.json").write_text(json.dumps({**row, "complete": False, "tables": {}}))
    assert read_manifest(copy).next_segment == len(segment_files(recent))
    assert open_trace(copy).tensor_count == len(before["tensors"])


def test_many_events_are_read_in_pieces(tmp_path: Path) -> None:
    steps = CHUNK // STEP_RECORDS * 2 + 9
    plain = realistic_trace(tmp_path / "plain", steps, 4096)
    recent = shuffled(plain, tmp_path / "recent")
    segments = read_recent(segment_files(recent), 4096)
    assert [len(segment.rows) for segment in segments] == [CHUNK, CHUNK, steps * STEP_RECORDS - 2 * CHUNK]
    assert segments[-1].index == max(segment_files(recent))
    before = open_trace(plain).table("tensors")
    assert open_trace(recent).table("tensors").equals(before)
    seal_all(recent)
    assert open_trace(recent).table("tensors").cast(before.schema).equals(before)
    assert len(list(recent.glob("tensors-*.parquet"))) == 1


def test_damaged_and_cut_files(plain: Path, tmp_path: Path) -> None:
    recent = shuffled(plain, tmp_path / "recent")
    files = segment_files(recent)
    records = np.fromfile(files[0], TENSOR_RECORD)
    held = int(np.count_nonzero(records["sequence"][:3]))
    records["kind"][:3] = 77
    records.tofile(files[0])
    last = files[max(files)]
    last.write_bytes(last.read_bytes()[:-300])
    segments = read_recent(files, SLOTS)
    assert sum(segment.damaged for segment in segments) == held
    assert open_trace(recent).damage == held


def test_no_events_yet(tmp_path: Path) -> None:
    (segment,) = read_recent({}, SLOTS)
    assert (len(segment.rows), segment.index, overwritten([segment])) == (0, 0, 0)


def test_a_reader_sees_whole_records_while_they_are_replaced(tmp_path: Path) -> None:
    log = EventLog(tmp_path, Detail.HEALTH, last=200)
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            execution = log.begin_execution(4, 0xFFFFFFFF, number, [number])
            log.append_tensor(execution, number % 1000, 0, 12, 0, np.full(3, number % 1000, np.float32))

    threads = [threading.Thread(target=write) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        seen = 0
        while seen < 2_000:
            for segment in read_recent(segment_files(tmp_path), 4096):
                records = segment.records
                assert segment.damaged == 0
                assert (np.diff(records["sequence"].astype(np.int64)) > 0).all()
                tensors = records[records["kind"] == RecordKind.EAGER_TENSOR]
                for name in ("min", "max"):
                    assert (tensors[name] == tensors["site"]).all()
                assert (tensors["sum"] == 3.0 * tensors["site"]).all()
                seen += len(tensors)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
        log.close()
