"""What a step takes that no capture holds is told with the line that uses it, as far as the capture tells that."""

from __future__ import annotations

from typing import Any

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.replay.uncaptured import not_captured
from tensordbg.errors import CaptureError
from tensordbg.model import Frame, Site, SourceFile
from tensordbg.trace.program.rows import site_row, source_row, stack_row

FRAMES = (Frame("train.py", 2, "step", user=True), Frame("tensorflow/ops.py", 9, "lookup", user=False))


class Kept:
    """A capture that has some rows."""

    def __init__(self, **tables: list[dict[str, Any]]) -> None:
        self._tables = tables

    def rows(self, table: str) -> list[dict[str, Any]]:
        if table not in self._tables:
            raise CaptureError(f"{table} is missing")
        return self._tables[table]


def test_the_line_is_told_that_uses_a_table() -> None:
    site = Site(4, "Lookup/table_handle", "Placeholder", 0, 1, argument=1)
    kept = Kept(
        sites=[site_row(site)],
        stacks=[stack_row(1, FRAMES)],
        sources=[source_row(SourceFile("train.py", "", "def step(words):\n    return table.lookup(words)\n"))],
    )
    told = str(not_captured(kept, "lookup_table_handle", dtypes.RESOURCE))  # type: ignore[arg-type]
    assert told.startswith(
        "the step takes a queue, a lookup table that can't be read or another resource that is no va"
    )
    assert " variable, in `return table.lookup(words)` " in told
    assert "(train.py:2), which is not captured; " in told


def test_a_capture_without_such_rows_tells_the_name() -> None:
    site = Site(4, "Lookup/table_handle", "Placeholder", 0, 1, argument=1)
    kept = Kept(sites=[site_row(site)], stacks=[], sources=[])
    told = str(not_captured(kept, "lookup_table_handle", dtypes.RESOURCE))  # type: ignore[arg-type]
    assert told.startswith(
        "the step takes lookup_table_handle, a queue, a lookup table that can't be read or another resource that is no "
    )
