from __future__ import annotations

import json
import os
import time

import pytest

from tensordbg.model import Detail
from tensordbg.trace.program.metadata import TraceMetadata, describe_this_process
from tensordbg.trace.program.process import ProcessPlace


def test_comes_back_from_json() -> None:
    metadata = describe_this_process("train", Detail.SHAPES, "avx2", 64)
    assert TraceMetadata.from_json(json.loads(json.dumps(metadata.to_json()))) == metadata


def test_json_has_the_documented_keys() -> None:
    row = describe_this_process("train", Detail.HEALTH, "avx2").to_json()
    assert list(row) == [
        *("format", "id", "program", "command", "python", "host", "pid", "created_ns", "clock_offset_ns", "detail"),
        *("kernel", "segment_records", "last", "value_file_bytes", "process", "started"),
    ]


def test_a_trace_from_before_the_last_keys_keeps_all() -> None:
    row = describe_this_process("train", Detail.HEALTH, "avx2").to_json()
    del row["last"], row["value_file_bytes"], row["process"]
    metadata = TraceMetadata.from_json(row)
    assert metadata.process == ProcessPlace()
    assert (metadata.last, metadata.value_file_bytes) == (0, 2**28)


def test_names_a_run_for_what_this_process_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TENSORDBG_RUN", raising=False)
    own = describe_this_process("train", Detail.HEALTH, "avx2")
    assert own.process.runs == (f"run:{own.id}",)
    monkeypatch.setenv("TENSORDBG_RUN", "night")
    assert describe_this_process("train", Detail.HEALTH, "avx2").process.runs == ("run:night",)


def test_describes_this_process_and_its_clock() -> None:
    metadata = describe_this_process("train", Detail.HEALTH, "avx2")
    assert metadata.pid == os.getpid()
    assert abs(time.monotonic_ns() + metadata.clock_offset_ns - time.time_ns()) < 1e9


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("segment_records", 0),
        ("segment_records", 2**40),
        ("clock_offset_ns", 10**30),
        ("last", -1),
        ("value_file_bytes", 0),
        ("detail", "much"),
        ("command", 3),
    ],
)
def test_refuses_what_makes_no_sense(key: str, value: object) -> None:
    row = describe_this_process("train", Detail.HEALTH, "avx2").to_json()
    with pytest.raises((KeyError, TypeError, ValueError)):
        TraceMetadata.from_json({**row, key: value})
