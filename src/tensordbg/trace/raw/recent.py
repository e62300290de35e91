"""Raw segments of a trace that keeps only its last events (`native/log/recent.h`): slots are used again while it runs.

So a slot's place says nothing; the order of the events is that of their sequence numbers. While the program runs each
file is copied at once, and a slot that changed meanwhile is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from tensordbg.trace.raw.record import TENSOR_RECORD, RecordKind
from tensordbg.trace.raw.segments import Array, RawSegment, map_file

CHUNK = 65536
"""Events that are put together; for all else the result looks like a segment of so many slots."""


Read = Callable[[Path, int], Array]
"""(file, how many slots it is meant to have) -> its slots."""


def copy_file(path: Path, slots: int) -> Array:
    """A copy of what a segment holds that may be written just now; a slot that changed meanwhile counts as empty.

    Raises:
        OSError: If it can't be read.
    """
    memory = map_file(path, slots)
    used = np.flatnonzero(memory["sequence"])  # a file may be made far larger than what was ever written to it
    before = memory["sequence"][used]
    records = memory[used]
    records["sequence"][(records["sequence"] != before) | (memory["sequence"][used] != before)] = 0
    return records


def read_recent(files: Mapping[int, Path], slots: int, read: Read = copy_file) -> tuple[RawSegment, ...]:
    """All events in some segments, in their order, as if they had been written one after the other.

    Args:
        files: The segments by number, as `segment_files` gives them.
        slots: How many each is meant to have.
        read: How one is read: `map_file` does for a program that has ended, and takes less memory.

    Returns:
        At least one; the last bears the number of the last file.

    Raises:
        OSError: If one can't be read.
    """
    parts = [read(path, slots) for path in files.values()]
    sequence = np.concatenate([np.zeros(0, np.uint64), *(np.array(part["sequence"]) for part in parts)])
    kinds = np.concatenate([np.zeros(0, np.uint8), *(np.array(part["kind"]) for part in parts)])
    good = (sequence != 0) & (kinds >= min(RecordKind)) & (kinds <= max(RecordKind))
    damaged = int(np.count_nonzero(sequence[~good]))
    rows = np.flatnonzero(good)
    rows = rows[np.argsort(sequence[rows], kind="stable")]
    starts = np.cumsum([0, *(len(part) for part in parts)])
    last = max(files, default=0)
    segments = []
    for index, begin in enumerate(range(0, max(len(rows), 1), CHUNK)):
        chunk = rows[begin : begin + CHUNK]
        final = begin + CHUNK >= len(rows)
        records = _gather(parts, starts, chunk)
        everything = np.arange(len(records))
        number = max(index, last) if final else index
        segments.append(RawSegment(number, records, everything, damaged if final else 0, len(records), None))
    return tuple(segments)


def read_since(files: Mapping[int, Path], slots: int, sequence: int) -> RawSegment:
    """The events after one, given by its sequence number, in their order; others are hardly looked at.

    It is for the process that writes them: none may be appended meanwhile whose absence would matter.

    Args:
        files: The segments by number, as `segment_files` gives them.
        slots: How many each is meant to have.
        sequence: Of the event before the first.

    Raises:
        OSError: If one can't be read.
    """
    found = [np.zeros(0, TENSOR_RECORD)]
    for path in files.values():
        records = map_file(path, slots)
        found.append(records[records["sequence"] > sequence])
    together = np.concatenate(found)
    together = together[np.argsort(together["sequence"], kind="stable")]
    return RawSegment(0, together, np.arange(len(together)), 0, len(together), None)


def overwritten(segments: Sequence[RawSegment]) -> int:
    """How many events there had been that are not there any more."""
    newest = max((int(segment.records["sequence"].max(initial=0)) for segment in segments), default=0)
    return newest - sum(len(segment.rows) for segment in segments)


def _gather(parts: Sequence[Array], starts: Array, rows: Array) -> Array:
    """The records in some rows of all parts."""
    records = np.zeros(len(rows), TENSOR_RECORD)
    owner = np.searchsorted(starts, rows, side="right") - 1
    for number in np.unique(owner).tolist():
        mine = np.flatnonzero(owner == number)
        records[mine] = parts[number][rows[mine] - starts[number]]
    return records
