"""Sealing: turns raw segments, and at the end the JSON lines, into Parquet files, and deletes what they were made from.

`tdbg run` seals full segments while its program runs (`cli/running/sealing.py`), and the rest when it has ended.
"""

from __future__ import annotations

import fcntl
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path

import pyarrow as pa

from tensordbg.errors import TraceError
from tensordbg.trace.damage import missing, reading_of
from tensordbg.trace.program.catalog import CATALOG_FILES, Catalog, read_catalog
from tensordbg.trace.program.facts import collect_facts
from tensordbg.trace.program.lines import read_lines
from tensordbg.trace.program.running import is_running
from tensordbg.trace.raw.decoding import Decoder, Program
from tensordbg.trace.raw.executions import one_of_each
from tensordbg.trace.raw.recent import overwritten, read_recent
from tensordbg.trace.raw.segments import RawSegment, map_file, map_segment, segment_files
from tensordbg.trace.schema import EXECUTIONS, FORMAT_VERSION, TABLES, TENSORS
from tensordbg.trace.sealed.manifest import MANIFEST, Manifest, read_manifest, write_manifest
from tensordbg.trace.sealed.parts import Part, open_part, write_part
from tensordbg.trace.sealed.snapshot import StoredMetadata, read_metadata
from tensordbg.trace.sealed.tables import CATALOG_TABLES, catalog_table
from tensordbg.trace.sums.totals import Summing, Sums

PART_RECORDS = 8 * 65536
"""About so many events make one file, if so many are at hand; it bounds the memory that sealing takes."""

GRACE_NS = 10_000_000_000
"""A slot that is still empty so long after the last event of its segment will not be filled any more."""

_EVENT_PART = re.compile(r"tensors-\d+|executions-(\d+|all)")


def seal_full_segments(folder: Path) -> int:
    """Seals the segments that are not written any more; the program may be running.

    Where another process seals the trace just now, or the trace has not begun, nothing is done.

    Returns:
        How many tensor events were sealed.

    Raises:
        TraceError: If the trace can't be read or written.
    """
    if not (folder / "trace.json").exists():
        return 0
    stored = _present_format(folder)
    if stored.metadata.last:
        # All of its segments are written until the end.
        return 0
    with _lock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB) as locked:
        if not locked:
            return 0
        sealing = _Sealing(folder, stored)
        full = [] if sealing.manifest.complete else sealing.full_segments()
        return sealing.seal(full) if full else 0


def seal_all(folder: Path) -> int:
    """Seals everything, after the program has ended. Sealing again does nothing.

    Returns:
        How many tensor events were sealed.

    Raises:
        TraceError: If the trace can't be read or written, or its program is still running.
    """
    stored = _present_format(folder)
    if not _has_ended(folder, stored):
        raise TraceError(
            f"{folder}: its program (process {stored.metadata.pid}) is running; seal it when that has ended"
        )
    with _lock(folder, fcntl.LOCK_EX):
        sealing = _Sealing(folder, stored)
        if sealing.manifest.complete:
            return 0
        count = sealing.seal(sealing.segments())
        sealing.finish()
        return count


@dataclass
class _Sealing:
    """The work on one trace, while it is locked."""

    folder: Path
    stored: StoredMetadata

    def __post_init__(self) -> None:
        self.manifest = read_manifest(self.folder)
        self._sweep()

    @cached_property
    def catalog(self) -> Catalog:
        """The contents of the lines, read once: of a large program that takes longer than to seal its events."""
        return read_catalog(self.folder, self.stored.version)

    def segments(self) -> Iterator[RawSegment]:
        """Those that are not sealed, in order."""
        slots = self.stored.metadata.segment_records
        files = segment_files(self.folder)
        if self.stored.metadata.last:
            with reading_of(self.folder / "segments"):
                waiting = {index: path for index, path in files.items() if index >= self.manifest.next_segment}
                yield from read_recent(waiting, slots, map_file) if waiting else ()
            return
        for index, path in files.items():
            if index >= self.manifest.next_segment:
                with reading_of(path):
                    yield map_segment(path, index, slots)

    def full_segments(self) -> list[RawSegment]:
        """Those from the first on that are not written any more."""
        last = max(segment_files(self.folder), default=0)
        full = []
        for segment in self.segments():
            waited = abs(time.monotonic_ns() - segment.newest_ns) > GRACE_NS
            if not segment.full and not (segment.index < last and waited):
                break
            full.append(segment)
        return full

    def seal(self, segments: Iterable[RawSegment]) -> int:
        """Seals segments, some at a time."""
        before = sum(part.rows for part in self.manifest.tensors)
        program = Program(self.catalog, self.stored.metadata.clock_offset_ns)
        together: int | None = max(1, PART_RECORDS // self.stored.metadata.segment_records)
        if self.stored.metadata.last:
            # Their events lie anywhere in the files, so these can only be deleted together.
            together = None
        waiting = iter(segments)
        while group := list(islice(waiting, together)):
            self._seal_together(program, group)
        return sum(part.rows for part in self.manifest.tensors) - before

    def finish(self) -> None:
        """Seals the JSON lines, and puts the executions in order."""
        catalog = self.catalog
        with reading_of(self.folder / MANIFEST):
            unfinished = Decoder(Program(catalog, 0), self.manifest.decoder).unfinished().to_table()
        executions = self._write("executions-all.parquet", [*self._sealed_executions(), unfinished])
        tables = {
            name: write_part(self.folder, f"{name}.parquet", [catalog_table(catalog, name)], TABLES[name])
            for name in CATALOG_TABLES
        }
        manifest = replace(
            self.manifest,
            damaged_lines=catalog.damaged,
            executions=executions,
            tables=tables,
            complete=True,
            decoder={},
            sums=self.manifest.sums or (Sums() if not self.manifest.tensors else None),
        )
        self._replace(manifest)

    def _seal_together(self, program: Program, segments: Sequence[RawSegment]) -> None:
        with reading_of(self.folder / MANIFEST):
            decoder = Decoder(program, self.manifest.decoder)
        with reading_of(self.folder / "segments"):
            decoded = [decoder.decode(segment) for segment in segments]
        summing = self._summing()
        name = f"{segments[0].index:06d}.parquet"
        tensors: tuple[Part, ...] = ()
        if sum(map(len, decoded)):
            tables = (_summed(segment.tensors(TENSORS.names), summing) for segment in decoded if len(segment))
            tensors = (write_part(self.folder, f"tensors-{name}", tables, TENSORS),)
        completed = [segment.executions.to_table() for segment in decoded]
        executions = self._write(f"executions-{name}", completed)
        for table in completed:
            summing.add_executions(table)
        manifest = replace(
            self.manifest,
            next_segment=segments[-1].index + 1,
            damaged_slots=self.manifest.damaged_slots + sum(segment.damaged for segment in decoded),
            overwritten=self.manifest.overwritten + (overwritten(segments) if self.stored.metadata.last else 0),
            tensors=(*self.manifest.tensors, *tensors),
            executions=(*self.manifest.executions, *executions),
            decoder=decoder.state(),
            sums=None if self._sums_are_lost else summing.sums,
        )
        self._replace(manifest)

    @property
    def _sums_are_lost(self) -> bool:
        """Whether an older version has sealed a part of the trace, of which there are none."""
        return self.manifest.sums is None and self.manifest.next_segment > 0

    def _summing(self) -> Summing:
        return Summing(self.catalog, self.manifest.sums or Sums())

    def _sealed_executions(self) -> Iterator[pa.Table]:
        for part in self.manifest.executions:
            path = self.folder / part.file
            try:
                held = open_part(self.folder, part)
                with reading_of(path):
                    yield held.parquet.read()
            except FileNotFoundError:
                raise missing(path) from None

    def _write(self, file: str, tables: Sequence[pa.Table]) -> tuple[Part, ...]:
        """Writes executions in order of their number."""
        table = pa.concat_tables(tables)
        if not len(table):
            return ()
        return (write_part(self.folder, file, [one_of_each(table)], EXECUTIONS),)

    def _replace(self, manifest: Manifest) -> None:
        write_manifest(self.folder, manifest)
        self.manifest = manifest
        self._sweep()

    def _sweep(self) -> None:
        """Deletes what does not count: sealed segments and lines, parts of a sealing that was cut off."""
        manifest = self.manifest
        useless = [path for index, path in segment_files(self.folder).items() if index < manifest.next_segment]
        useless += [path for path in self.folder.iterdir() if _is_ours(path.name) and path.name not in manifest.files]
        if manifest.complete:
            useless += [self.folder / f"{name}.jsonl" for name in CATALOG_FILES]
        for path in useless:
            path.unlink(missing_ok=True)
        if manifest.complete:
            with suppress(OSError):
                (self.folder / "segments").rmdir()


def _summed(table: pa.Table, summing: Summing) -> pa.Table:
    summing.add_tensors(table)
    return table


def _is_ours(name: str) -> bool:
    """Whether a file is one that sealing makes; others in the folder are not touched."""
    stem, _, kind = name.partition(".")
    return kind in {"parquet", "parquet.draft"} and (stem in CATALOG_TABLES or _EVENT_PART.fullmatch(stem) is not None)


def _present_format(folder: Path) -> StoredMetadata:
    stored = read_metadata(folder)
    if stored.version != FORMAT_VERSION:
        raise TraceError(
            f"{folder}: has format {stored.version} and can't be sealed as {FORMAT_VERSION}; read it as it is"
        )
    return stored


def _has_ended(folder: Path, stored: StoredMetadata) -> bool:
    """Whether the program has said so, or does not exist any more."""
    if not is_running(stored.metadata):
        return True
    with reading_of(folder):
        return collect_facts(read_lines(folder / "facts.jsonl").rows).end is not None


@contextmanager
def _lock(folder: Path, how: int) -> Iterator[bool]:
    """Keeps other processes from sealing the trace; gives whether that was possible."""
    file = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(file, how)
    except BlockingIOError:
        yield False
    else:
        with _writing_of(folder):
            yield True
    finally:
        os.close(file)


@contextmanager
def _writing_of(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise TraceError(
            f"{folder}: can't be sealed ({error.strerror or error}); make it writable or make room, then try again"
        ) from error
