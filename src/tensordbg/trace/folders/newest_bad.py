"""Tells whether anything that is not finite was recorded lately, at little cost: asked again and again in a long run.

What was looked at is not read again, and of what is new only whether it is finite.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np

from tensordbg.trace.raw.record import RecordFlag, RecordKind
from tensordbg.trace.raw.segments import Array, map_file, segment_files
from tensordbg.trace.sealed.manifest import MANIFEST, read_manifest
from tensordbg.trace.sealed.snapshot import read_metadata

_TENSORS = (RecordKind.GRAPH_TENSOR, RecordKind.EAGER_TENSOR)
_STRIDE = 64


class NewestBad:
    """Looks at one trace, from its beginning on."""

    def __init__(self, folder: Path) -> None:
        """Of a folder in which there may be no trace yet."""
        self._folder = folder
        self._seen = 0
        """The last sequence number that was looked at."""
        self._sealed = 0

    def look(self) -> bool:
        """Whether anything since the last look is not finite.

        Raises:
            TraceError: If the trace is damaged.
        """
        if not (self._folder / "trace.json").exists():
            return False
        metadata = read_metadata(self._folder).metadata
        newest, found = self._seen, False
        for index, path in segment_files(self._folder).items():
            if metadata.last or (index + 1) * metadata.segment_records > self._seen:
                with suppress(FileNotFoundError):  # sealed meanwhile
                    records = _since(map_file(path, metadata.segment_records), self._seen, reused=bool(metadata.last))
                    newest = max(newest, int(records["sequence"].max(initial=0)))
                    found = found or _any_bad(records)
        self._seen = newest
        return self._in_sealed() or found

    def _in_sealed(self) -> bool:
        """Whether more of what is sealed is not finite than at the last look: it may have been sealed between two."""
        sums = read_manifest(self._folder).sums if (self._folder / MANIFEST).exists() else None
        before, self._sealed = self._sealed, 0 if sums is None else sums.bad
        return self._sealed > before


def _since(records: Array, seen: int, *, reused: bool) -> Array:
    """The records with higher sequence numbers, and a few before."""
    if reused:
        return records[records["sequence"] > seen]
    # Slots are filled nearly in order: so only those that are new, and some around them, are brought into memory.
    used = np.flatnonzero(records["sequence"][::_STRIDE])
    new = used[records["sequence"][::_STRIDE][used] > seen]
    begin = new[0] if len(new) else used[-1] if len(used) else 0
    end = used[-1] if len(used) else 0
    return records[max(int(begin) - 2, 0) * _STRIDE : (int(end) + 2) * _STRIDE]


def _any_bad(records: Array) -> bool:
    measured = np.isin(records["kind"], _TENSORS) & (records["flags"] & RecordFlag.HEALTH != 0)
    counted = records[measured]
    return bool(((counted["nan"] > 0) | (counted["neg_inf"] > 0) | (counted["pos_inf"] > 0)).any())
