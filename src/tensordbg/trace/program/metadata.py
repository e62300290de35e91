"""The identity of a trace: the contents of `trace.json`, written once when recording begins."""

from __future__ import annotations

import os
import platform
import socket
import sys
import time
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from tensordbg.model import Detail
from tensordbg.trace.program.process import RUN_VARIABLE, ProcessPlace, place_of
from tensordbg.trace.program.process_age import started_of

FORMAT = 5
"""The version of the format that is written; the same number as `schema.FORMAT_VERSION`, without pyarrow."""

SEGMENT_RECORDS = 65536
"""How many events one raw segment holds, unless something else is asked for."""

RECENT_SEGMENT_RECORDS = 4096
"""The same where only the last events are kept."""

AS_TOLD = 2**40
"""So many of the last events fit on no disk: nothing goes by itself, only what the recorder is told to forget."""

VALUE_FILE_BYTES = 2**28
"""How much of the kept values one file holds."""

MOST_METADATA = 2**24
"""Bytes of `trace.json`."""

_MOST_RECORDS = 2**24


@dataclass(frozen=True)
class TraceMetadata:
    """The facts about a recorded process that are known when it starts."""

    id: str
    """Unique among all traces."""
    program: str
    """Short name of what was run, such as `train`."""
    command: tuple[str, ...]
    """The command line."""
    python: str
    """Version of Python."""
    host: str
    pid: int
    created_ns: int
    """Since 1970."""
    clock_offset_ns: int
    """To be added to a record's monotonic time to have nanoseconds since 1970."""
    detail: Detail = Detail.HEALTH
    kernel: str = ""
    """Which health kernel measured."""
    segment_records: int = SEGMENT_RECORDS
    last: int = 0
    """Only so many of the last executions, and of the last tensors of functions, are kept; 0: all."""
    value_file_bytes: int = VALUE_FILE_BYTES
    process: ProcessPlace = field(default_factory=ProcessPlace)
    """Its place among the processes of its run, as far as it was known at the start."""
    started: int | None = None
    """When the process began, as the kernel counts (see `process_age.py`), so that no clock on the wall is needed to
    tell it from a later process of the same number; None where that is not known."""
    format: int = FORMAT

    def to_json(self) -> dict[str, Any]:
        """The object that `trace.json` holds, the format's version first."""
        row = asdict(self)
        said = {"command": list(self.command), "detail": self.detail.value, "process": self.process.to_json()}
        return {"format": row.pop("format"), **row, **said}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> TraceMetadata:
        """The reverse of `to_json`; keys that are not known are passed over.

        Raises:
            KeyError, TypeError, ValueError: If the object is not what `to_json` makes.
        """
        metadata = cls(
            id=str(row["id"]),
            program=str(row["program"]),
            command=tuple(str(word) for word in row["command"]),
            python=str(row["python"]),
            host=str(row["host"]),
            pid=int(row["pid"]),
            created_ns=int(row["created_ns"]),
            clock_offset_ns=int(row["clock_offset_ns"]),
            detail=Detail(row["detail"]),
            kernel=str(row["kernel"]),
            segment_records=int(row["segment_records"]),
            last=int(row.get("last", 0)),
            value_file_bytes=int(row.get("value_file_bytes", VALUE_FILE_BYTES)),
            process=ProcessPlace.from_json(row.get("process")),
            started=int(row["started"]) if row.get("started") is not None else None,
            format=int(row["format"]),
        )
        if not 0 <= metadata.created_ns < 2**63 or not -(2**31) <= metadata.pid < 2**31:
            raise ValueError("created_ns or pid is out of bounds")
        if not 1 <= metadata.segment_records <= _MOST_RECORDS or abs(metadata.clock_offset_ns) >= 2**62:
            raise ValueError("segment_records or clock_offset_ns is out of bounds")
        if not 0 <= metadata.last < 2**63 or not 1 <= metadata.value_file_bytes < 2**63:
            raise ValueError("last or value_file_bytes is out of bounds")
        return metadata


def describe_this_process(
    program: str, detail: Detail, kernel: str, segment_records: int = SEGMENT_RECORDS
) -> TraceMetadata:
    """The metadata of a trace that this process is about to record."""
    now = time.time_ns()
    identity = uuid.uuid4().hex
    return TraceMetadata(
        id=identity,
        program=program,
        command=tuple(sys.orig_argv),
        python=platform.python_version(),
        host=socket.gethostname(),
        pid=os.getpid(),
        created_ns=now,
        clock_offset_ns=now - time.monotonic_ns(),
        detail=detail,
        kernel=kernel,
        segment_records=segment_records,
        # What this process starts, and what is recorded too, has this run's name from it.
        process=place_of({**os.environ, RUN_VARIABLE: os.environ.get(RUN_VARIABLE) or identity}),
        started=started_of(os.getpid()),
    )
