"""The newest part of a trace whose program stands still: read again and again, without reading what is before it.

A program that is asked after each of its steps whether something happened in that step can't wait until the whole trace
is opened: what the trace says of the program itself is read again only when it has changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tensordbg.trace.damage import reading_of
from tensordbg.trace.program.catalog import CATALOG_FILES, Catalog, read_catalog
from tensordbg.trace.raw.decoding import Program
from tensordbg.trace.raw.recent import read_since
from tensordbg.trace.raw.segments import segment_files
from tensordbg.trace.reader import TraceReader
from tensordbg.trace.sealed.manifest import read_manifest
from tensordbg.trace.sealed.snapshot import Snapshot, read_metadata


@dataclass(frozen=True)
class _TailSnapshot(Snapshot):
    """The newest events, with what is known of the program already."""

    known: Program

    @property
    def catalog(self) -> Catalog:
        """The known part."""
        return self.known.catalog

    @property
    def program(self) -> Program:
        """The known part."""
        return self.known


class TraceTail:
    """Looks at the newest events of a trace that keeps only the last ones (`last`), from within its own process."""

    def __init__(self, folder: Path) -> None:
        """Of a trace that has begun.

        Raises:
            TraceError: If it can't be read.
        """
        self._folder = folder
        self._stored = read_metadata(folder)
        self._sizes: tuple[int, ...] = ()
        self._program = Program(Catalog(), 0)
        self.version = 0
        """Changes with what the trace says of the program."""

    def since(self, sequence: int) -> TraceReader:
        """A reader that sees only the events after the one with a sequence number, numbered from 0.

        Raises:
            TraceError: If the trace can't be read.
        """
        metadata = self._stored.metadata
        with reading_of(self._folder / "segments"):
            raw = read_since(segment_files(self._folder), metadata.segment_records, sequence)
        self._look()
        manifest = read_manifest(self._folder)
        return TraceReader(self._folder, _TailSnapshot(self._folder, self._stored, manifest, (raw,), self._program))

    def _look(self) -> None:
        """Reads what the trace says of the program, if it says more than it did."""
        sizes = tuple(_size(self._folder / f"{name}.jsonl") for name in CATALOG_FILES)
        if sizes == self._sizes:
            return
        with reading_of(self._folder):
            catalog = read_catalog(self._folder, self._stored.version)
        self._program = Program(catalog, self._stored.metadata.clock_offset_ns)
        self._sizes = sizes
        self.version += 1


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
