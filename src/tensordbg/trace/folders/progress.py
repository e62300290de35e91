"""How far a trace has grown, found out without reading it: asked again and again while its program runs."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tensordbg.trace.raw.segments import map_file, segment_files
from tensordbg.trace.sealed.manifest import MANIFEST

_FILES = ("trace.json", "facts.jsonl", "sites.jsonl", "functions.jsonl", "stacks.jsonl", "names.jsonl", MANIFEST)
_NEWEST = 2
"""So many of the last segments may be written to, as a thread may be late."""
_STRIDE = 64


@dataclass(frozen=True)
class Progress:
    """Equal as long as nothing was recorded or sealed."""

    files: tuple[tuple[int, int], ...]
    """Size and time of change of each file, zeros where there is none."""
    segments: int
    """Number of the last one, -1 where there is none."""
    written: int
    """The last sequence number that was given out in it."""


def progress_of(folder: Path, segment_records: int, last: int) -> Progress:
    """How far a trace has grown.

    Args:
        folder: Of the trace.
        segment_records: How many slots its segments have.
        last: How many of the last events are kept, 0 for all: then slots are used again.
    """
    segments = segment_files(folder)
    written = 0
    for path in list(segments.values())[0 if last else -_NEWEST :]:
        with suppress(FileNotFoundError):  # sealed meanwhile
            written = max(written, _written(path, segment_records, bool(last)))
    return Progress(tuple(_stamp(folder / name) for name in _FILES), max(segments, default=-1), written)


def _written(path: Path, slots: int, reused: bool) -> int:
    sequence = map_file(path, slots)["sequence"]
    if reused or not len(sequence):
        return int(sequence.max(initial=0))
    # Slots are filled nearly in order; to look at few of them keeps the file out of memory.
    used = np.flatnonzero(sequence[::_STRIDE])
    first = int(used[-1]) * _STRIDE if len(used) else 0
    return int(sequence[first : first + 2 * _STRIDE].max())


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns
