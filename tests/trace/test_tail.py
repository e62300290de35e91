"""The newest events of a trace are read without what is before them, and give the same rows as in the whole trace."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tensordbg.model import NONE
from tensordbg.trace.raw.record import TENSOR_RECORD, RecordFlag, RecordKind
from tensordbg.trace.raw.segments import segment_files
from tensordbg.trace.reader import open_trace
from tensordbg.trace.tail import TraceTail
from tests.trace.samples import all_tables, eventful_trace


@pytest.fixture
def recent(tmp_path: Path) -> Path:
    """A trace of a program that still runs and keeps its last events."""
    folder = eventful_trace(tmp_path / "trace").kill()
    row = json.loads((folder / "trace.json").read_text())
    (folder / "trace.json").write_text(json.dumps({**row, "last": 1000}))
    return folder


def test_all_events_are_those_of_the_trace(recent: Path) -> None:
    assert all_tables(TraceTail(recent).since(0)) == all_tables(open_trace(recent))


def test_of_the_newest_events_all_is_known_that_began_with_them(recent: Path) -> None:
    records = np.concatenate([np.fromfile(path, TENSOR_RECORD) for path in segment_files(recent).values()])
    begins = records[(records["kind"] == RecordKind.EXECUTION_BEGIN) & (records["flags"] == RecordFlag.FUNCTION)]
    (fifth,) = begins[begins["iteration"] == 5]["sequence"].tolist()
    found = all_tables(TraceTail(recent).since(fifth - 1))["tensors"]
    whole = all_tables(open_trace(recent))["tensors"][-len(found) :]
    assert [row["event"] for row in found] == list(range(len(found)))
    assert 0 < len(found) < 20
    # What an earlier call computed has no cause here.
    mine = [{**row, "event": 0} for row in found if row["execution"] != NONE]
    theirs = [{**row, "event": 0} for row, other in zip(whole, found, strict=True) if other["execution"] != NONE]
    assert mine == theirs
    assert len(mine) >= 10


def test_none_come_after_the_last(recent: Path) -> None:
    newest = max(int(np.fromfile(path, TENSOR_RECORD)["sequence"].max()) for path in segment_files(recent).values())
    assert TraceTail(recent).since(newest).tensor_count == 0


def test_what_is_known_of_the_program_is_read_again_only_when_there_is_more(recent: Path) -> None:
    tail = TraceTail(recent)
    first = tail.since(0).sites()
    assert tail.since(0).sites() is first
    version = tail.version
    with (recent / "names.jsonl").open("a") as file:
        file.write(json.dumps({"kind": "path", "id": 99, "name": "late"}) + "\n")
    assert tail.since(0).paths()[99] == "late"
    assert tail.version == version + 1
