"""A trace that an importer writes: sealed when all is there, and gone again where that fails."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tensordbg.errors import RecordingError, UsageError
from tensordbg.trace.sealed.seal import seal_all
from tensordbg.trace.writer import new_trace_folder

SEGMENT_RECORDS = 8192
"""Old logs are short, and nothing else writes while they are imported."""


@contextmanager
def new_trace(out: Path, name: str) -> Iterator[Path]:
    """The folder of a new trace in `out`, in which the block writes.

    Raises:
        UsageError: If it can't be made or written.
    """
    try:
        trace = new_trace_folder(out, name)
        try:
            yield trace
            seal_all(trace)
        except BaseException:
            shutil.rmtree(trace, ignore_errors=True)
            raise
    except RecordingError as error:
        raise UsageError(str(error)) from error
