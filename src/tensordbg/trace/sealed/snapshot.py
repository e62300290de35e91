"""A trace at one moment: what is sealed of it and which raw segments hold the rest, without a gap or an overlap.

A program may write and another process may seal while this is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tensordbg.errors import TraceError
from tensordbg.json_input import load_json
from tensordbg.opening import read_whole
from tensordbg.trace.damage import missing, reading_of
from tensordbg.trace.migrations import check_version, upgrade_metadata
from tensordbg.trace.program.catalog import Catalog, read_catalog
from tensordbg.trace.program.metadata import MOST_METADATA, TraceMetadata
from tensordbg.trace.raw.decoding import DecodedSegment, Decoder, Program
from tensordbg.trace.raw.executions import Executions
from tensordbg.trace.raw.recent import overwritten, read_recent
from tensordbg.trace.raw.segments import RawSegment, map_segment, segment_files
from tensordbg.trace.sealed.manifest import MANIFEST, Manifest, read_manifest

_ATTEMPTS = 20


@dataclass(frozen=True)
class StoredMetadata:
    """The contents of `trace.json`, and in which version of the format."""

    metadata: TraceMetadata
    version: int


@dataclass(frozen=True)
class RawEvents:
    """All that is not sealed yet, decoded."""

    segments: tuple[DecodedSegment, ...]
    unfinished: Executions


@dataclass(frozen=True)
class Snapshot:
    """A trace at one moment."""

    folder: Path
    stored: StoredMetadata
    manifest: Manifest
    raw: tuple[RawSegment, ...]

    @cached_property
    def overwritten(self) -> int:
        """How many events are not there any more, because only the last ones are kept."""
        return self.manifest.overwritten + (overwritten(self.raw) if self.stored.metadata.last else 0)

    @cached_property
    def catalog(self) -> Catalog:
        """The catalog of the JSON lines; empty where all is sealed.

        It is read after the segments were mapped, so all that they refer to is there.

        Raises:
            FileNotFoundError: If the lines are gone because they were sealed since the snapshot was taken.
        """
        if self.manifest.complete:
            return Catalog()
        with reading_of(self.folder):
            catalog = read_catalog(self.folder, self.stored.version)
        if read_manifest(self.folder).complete:
            raise FileNotFoundError(2, "was sealed", str(self.folder))
        return catalog

    @property
    def damage(self) -> int:
        """How many events and lines can't be read."""
        raw = sum(segment.damaged for segment in self.events.segments)
        return self.manifest.damaged_slots + self.manifest.damaged_lines + raw + self.catalog.damaged

    @property
    def program(self) -> Program:
        """The program as decoding needs it."""
        return Program(self.catalog, self.stored.metadata.clock_offset_ns)

    @cached_property
    def events(self) -> RawEvents:
        """The raw segments, decoded."""
        if self.manifest.complete:
            return RawEvents((), Decoder(Program(Catalog(), 0), {}).unfinished())
        with reading_of(self.folder / MANIFEST):
            decoder = Decoder(self.program, self.manifest.decoder)
        with reading_of(self.folder / "segments"):
            return RawEvents(tuple(decoder.decode(segment) for segment in self.raw), decoder.unfinished())


def read_metadata(folder: Path) -> StoredMetadata:
    """Reads `trace.json`.

    Raises:
        TraceError: If it is missing, damaged or of a format that can't be read.
    """
    path = folder / "trace.json"
    try:
        with reading_of(path):
            row = load_json(read_whole(path, MOST_METADATA))
            version = row["format"]
    except FileNotFoundError:
        raise missing(path) from None
    try:
        version = check_version(version)
    except TraceError as error:
        raise TraceError(f"{path}: {error}") from None
    with reading_of(path):
        return StoredMetadata(TraceMetadata.from_json(upgrade_metadata(version, row)), version)


def take_snapshot(folder: Path) -> Snapshot:
    """Looks at a trace as it is now.

    Raises:
        TraceError: If it can't be read.
    """
    stored = read_metadata(folder)
    for _ in range(_ATTEMPTS):
        manifest = read_manifest(folder)
        try:
            raw = _map_all(folder, manifest, stored.metadata)
        except FileNotFoundError:
            continue
        # Segments that vanish between the two looks are in the manifest of the second.
        if read_manifest(folder) == manifest:
            return Snapshot(folder, stored, manifest, raw)
    raise TraceError(f"{folder}: is being changed without a pause; try again")


def _map_all(folder: Path, manifest: Manifest, metadata: TraceMetadata) -> tuple[RawSegment, ...]:
    if manifest.complete:
        return ()
    with reading_of(folder / "segments"):
        files, slots = segment_files(folder), metadata.segment_records
        if metadata.last:
            return read_recent({index: path for index, path in files.items() if index >= manifest.next_segment}, slots)
        return tuple(map_segment(path, index, slots) for index, path in files.items() if index >= manifest.next_segment)
