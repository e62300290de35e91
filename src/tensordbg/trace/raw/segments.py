"""The raw segments of a trace: which there are, and which of their slots hold an event."""

from __future__ import annotations

import mmap
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.opening import need, open_regular, size_of
from tensordbg.remote.copies import look
from tensordbg.trace.raw.record import RECORD_SIZE, TENSOR_RECORD, RecordKind

Array = npt.NDArray[Any]

_NAME = re.compile(r"(\d{6,12})\.bin")


@dataclass(frozen=True)
class RawSegment:
    """One segment, as it was when it was mapped: what is written later is not looked at."""

    index: int
    records: Array
    """All slots, in the file's memory."""
    rows: Array
    """The slots that hold an event, in order."""
    damaged: int
    """How many slots hold something else."""
    slots: int
    """How many there are to be."""
    memory: mmap.mmap | None
    """The file's memory; None of an empty file."""

    @property
    def full(self) -> bool:
        """Whether nothing will be written any more: no slot is empty."""
        return len(self.rows) + self.damaged == self.slots

    @property
    def newest_ns(self) -> int:
        """The last time in it, by the monotonic clock; 0 if there is none."""
        return int(self.records["time_ns"][self.rows].max(initial=0))

    def release(self) -> None:
        """Lets the system have the memory back until it is looked at again; the records stay valid."""
        if self.memory is not None and hasattr(mmap, "MADV_DONTNEED"):
            self.memory.madvise(mmap.MADV_DONTNEED)


def segment_files(folder: Path) -> dict[int, Path]:
    """The raw segments of a trace by their number, in order."""
    found = {}
    look(folder / "segments")
    for path in (folder / "segments").glob("*.bin"):
        name = _NAME.fullmatch(path.name)
        if name:
            found[int(name[1])] = path
    return dict(sorted(found.items()))


def map_segment(path: Path, index: int, slots: int) -> RawSegment:
    """Maps a segment that is meant to have so many slots; of a file that was cut the whole ones are used.

    Raises:
        OSError: If the file can't be read.
    """
    memory = _memory(path, slots)
    records = np.frombuffer(memory or b"", dtype=TENSOR_RECORD)
    count = len(records)
    sequence = np.array(records["sequence"])
    meant = index * slots + 1 + np.arange(count, dtype=np.uint64)
    kinds = records["kind"]
    good = (sequence == meant) & (kinds >= min(RecordKind)) & (kinds <= max(RecordKind))
    damaged = int(np.count_nonzero(sequence[~good]))
    segment = RawSegment(index, records, np.flatnonzero(good), damaged, slots, memory)
    segment.release()
    return segment


def map_file(path: Path, slots: int) -> Array:
    """All slots of a segment's file, in its memory; of a file that was cut the whole ones.

    Raises:
        OSError: If the file can't be read.
    """
    return np.frombuffer(_memory(path, slots) or b"", dtype=TENSOR_RECORD)


def _memory(path: Path, slots: int) -> mmap.mmap | None:
    with open_regular(path, path.parents[1]) as file:
        count = min(size_of(file) // RECORD_SIZE, slots)
        if not count:
            return None
        need(path, [(0, count * RECORD_SIZE)])
        return mmap.mmap(file.fileno(), count * RECORD_SIZE, access=mmap.ACCESS_READ)
