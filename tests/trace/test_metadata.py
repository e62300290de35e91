from __future__ import annotations

import json
import os
import time

import pytest

from tensordbg.model import Detail
from tensordbg.trace.metadata import TraceMetadata, describe_this_process


def test_comes_back_from_json() -> None:
    metadata = describe_this_process("train", Detail.SHAPES, "avx2", 64)
    assert TraceMetadata.from_json(json.loads(json.dumps(metadata.to_json()))) == metadata


def test_json_has_the_documented_keys() -> None:
    row = describe_this_process("train", Detail.HEALTH, "avx2").to_json()
    assert list(row) == [
        *("format", "id", "program", "command", "python", "host", "pid", "created_ns", "clock_offset_ns", "detail"),
        *("kernel", "segment_records", "last", "value_file_bytes"),
    ]


def test_a_trace_from_before_the_last_keys_keeps_all() -> None:
    row = describe_this_process("train", Detail.HEALTH, "avx2").to_json()
    del row["last"], row["value_file_bytes"]
    metadata = TraceMetadata.from_json(row)
    assert (metadata.last, metadata.value_file_bytes) == (0, 2**28)


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
