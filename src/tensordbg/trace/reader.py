"""Reads a trace, whether its program runs, was killed, or has ended and everything is sealed.

A reader sees the trace as it was when it was opened; open it again to see more.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tensordbg.errors import UsageError
from tensordbg.model import Frame, Function, Health, Site, SourceFile, Variable
from tensordbg.opening import is_brought
from tensordbg.trace.damage import damaged, missing, reading_of
from tensordbg.trace.locate import find_trace, list_traces
from tensordbg.trace.migrations import upgrade_row
from tensordbg.trace.program.catalog import Catalog
from tensordbg.trace.program.facts import TraceFacts, collect_facts
from tensordbg.trace.program.lines import read_lines
from tensordbg.trace.program.metadata import TraceMetadata
from tensordbg.trace.program.proportion import most_numbers
from tensordbg.trace.program.running import is_running
from tensordbg.trace.raw.decoding import DecodedSegment
from tensordbg.trace.raw.executions import is_ordered, one_of_each
from tensordbg.trace.raw.values import Array, KeptTensor, ValueFiles
from tensordbg.trace.raw_sums import step_sums_of, sums_of
from tensordbg.trace.schema import FORMAT_VERSION, TENSORS
from tensordbg.trace.sealed.manifest import MANIFEST
from tensordbg.trace.sealed.part_reading import Condition, SealedPart
from tensordbg.trace.sealed.parts import ROW_GROUP, Part
from tensordbg.trace.sealed.snapshot import Snapshot, take_snapshot
from tensordbg.trace.sealed.table_checks import check_described, check_events
from tensordbg.trace.sealed.tables import CATALOG_TABLES, catalog_from_tables, catalog_table
from tensordbg.trace.selecting import columns_of, filtered, put_together
from tensordbg.trace.sums.by_step import StepSums
from tensordbg.trace.sums.totals import Sums

__all__ = ["TraceReader", "list_traces", "open_trace"]

Result = TypeVar("Result")

_SLICE = 2**20
"""Raw events are searched so many at a time."""

_COUNTS = ("size", "negative", "zero", "neg_inf", "pos_inf", "nan", "subnormal", "first_bad")
_HEALTH = (*_COUNTS, "min", "max", "sum", "sum_squares")
"""Columns of `tensors` that are fields of `Health`."""


def open_trace(path: Path | str) -> TraceReader:
    """Opens a trace.

    Args:
        path: The folder of a trace, or a folder of traces, of which the newest is meant.

    Raises:
        TraceError: If there is none, or it can't be read.
    """
    return TraceReader(find_trace(path))


class TraceReader:
    """The tables of one trace, as it was when it was opened.

    All methods raise `TraceError` where files are damaged or missing, and `UsageError` for a table or a column that
    does not exist.
    """

    def __init__(self, folder: Path, snapshot: Snapshot | None = None) -> None:
        """See `open_trace`; what is seen of the trace is a snapshot of it, by default one taken now."""
        self._snapshot = take_snapshot(folder) if snapshot is None else snapshot
        self._small: dict[str, pa.Table] = {}
        self._catalog: Catalog | None = None
        self._sums: Sums | None = None
        self._parts: dict[str, SealedPart] = {}

    @property
    def path(self) -> Path:
        """The trace's folder."""
        return self._snapshot.folder

    @property
    def metadata(self) -> TraceMetadata:
        """The metadata, known when recording began."""
        return self._snapshot.stored.metadata

    @property
    def facts(self) -> TraceFacts:
        """The facts that became known later: frameworks, warnings, the end."""
        path = self.path / "facts.jsonl"
        with reading_of(path):
            rows = [upgrade_row(self._version, "facts", row) for row in read_lines(path).rows]
            known = collect_facts(rows)
        return replace(known, last=self.metadata.last, overwritten=self._retrying(lambda: self._snapshot.overwritten))

    @property
    def brought(self) -> bool:
        """Whether the trace lies in object storage, and is brought as far as it is asked for; see `bring`."""
        return is_brought(self.path / MANIFEST)

    @property
    def finished(self) -> bool:
        """Whether the program said how it ended; one that was killed could not."""
        return self.facts.end is not None

    @property
    def running(self) -> bool:
        """Whether more may be recorded yet."""
        return not self.finished and is_running(self.metadata)

    @property
    def damage(self) -> int:
        """How many events and lines can't be read; 0 in a sound trace."""
        return self._retrying(lambda: self._snapshot.damage)

    @property
    def tensor_count(self) -> int:
        """How many tensor events there are."""
        return self._retrying(lambda: sum(length for _, length in self._chunks()))

    def count(self, name: str) -> int:
        """How many rows a table has; of what is sealed nothing is read but the ends of the files of `tensors`."""
        if name == "tensors":
            return self.tensor_count
        known = self._snapshot.manifest.rows_of(name)
        return len(self.table(name)) if known is None else known

    def table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """One of the tables in `schema.TABLES`, with the named columns or all of them.

        Small tables are kept, `tensors` is read anew each time: it may be large, see `tensors` and `scan`.
        """
        wanted = columns_of(name, columns)
        if name == "tensors":
            return self.tensors(0, self.tensor_count, wanted)
        return self._retrying(lambda: self._other_table(name)).select(wanted)

    def tensors(self, begin: int, end: int, columns: Sequence[str] | None = None) -> pa.Table:
        """The tensor events with the numbers from `begin` up to and without `end`; others are not read."""
        wanted = columns_of("tensors", columns)

        def read() -> list[pa.Table]:
            tables, first = [], 0
            for chunk, length in self._chunks():
                low, high = max(begin - first, 0), min(end - first, length)
                if low < high:
                    tables.append(chunk.tensors(wanted, low, high))
                first += length
            return tables

        table = put_together(self._retrying(read), wanted)
        if "event" in wanted and len(table):
            numbers = np.arange(max(begin, 0), max(begin, 0) + len(table))
            self._check_numbers(np.array_equal(table.column("event").to_numpy(), numbers))
        return table

    def take(self, events: Array, columns: Sequence[str] | None = None) -> pa.Table:
        """The tensor events with these numbers, in this order; of the others only those nearby are read.

        Args:
            events: Numbers, which must be below `tensor_count`, as an array of int64.
            columns: Those that are wanted, all by default.
        """
        wanted, place = np.unique(events, return_inverse=True)
        # They come from the trace, as a rule: of a damaged one they may be any.
        self._check_numbers(not len(wanted) or (wanted[0] >= 0 and wanted[-1] < self.tensor_count))
        block = wanted // ROW_GROUP
        tables = []
        for number in np.unique(block).tolist():
            begin = number * ROW_GROUP
            tables.append(self.tensors(begin, begin + ROW_GROUP, columns).take(wanted[block == number] - begin))
        return put_together(tables, columns_of("tensors", columns)).take(place)

    def scan(self, columns: Sequence[str] | None = None, where: Any = None) -> Iterator[pa.Table]:
        """The tensor events for which an expression holds, some at a time and in order.

        Args:
            columns: Those that are wanted, all by default.
            where: A `pyarrow.compute.Expression` over columns of `tensors`; all events by default.
        """
        wanted, first = columns_of("tensors", columns), 0
        for chunk, length in self._retrying(self._chunks):
            if isinstance(chunk, SealedPart):
                table = self._retrying(functools.partial(chunk.scan, wanted, where))
                if "event" in wanted and len(table):
                    numbers = table.column("event").to_numpy()
                    inside = numbers[0] >= first and numbers[-1] < first + length
                    self._check_numbers(bool(inside and np.all(np.diff(numbers) > 0)))
                yield table
            else:
                for begin in range(0, length, _SLICE):
                    yield filtered(chunk.tensors(TENSORS.names, begin, min(begin + _SLICE, length)), wanted, where)
            first += length

    def matching(self, where: Any, columns: Sequence[str] | None = None) -> pa.Table:
        """The tensor events for which an expression holds, as one table; see `scan`."""
        return put_together(
            [table for table in self.scan(columns, where) if len(table)], columns_of("tensors", columns)
        )

    def sums(self) -> Sums:
        """Sums over all events; those that are sealed are not read for it, as a rule, and the others once."""
        if self._sums is None:
            self._sums = self._retrying(lambda: sums_of(self, self._snapshot))
        return self._sums

    def step_sums(self) -> StepSums:
        """Sums over the events of each step; of a trace that an older version sealed its events are read for it."""
        return self.sums().by_step or self._retrying(lambda: step_sums_of(self))

    def events_of(self, sites: Sequence[int], steps: range, columns: Sequence[str]) -> pa.Table:
        """The tensor events of some sites in some steps; row groups that can't have any are not read."""
        step, of_sites = pc.field("step"), pc.field("site").isin(list(sites))
        return self.matching(of_sites & (step >= steps.start) & (step < steps.stop), columns)

    def checked(self, table: pa.Table) -> pa.Table:
        """Rows of `tensors` that others read from the sealed files, if they may hold what they do."""
        with reading_of(self.path):
            return check_events("tensors", table, self._retrying(self._most_sites))

    def value(self, event: int) -> Array:
        """The elements of the tensor of an event, if they were kept; the array can't be written.

        Raises:
            UsageError: If there is no such event, or its elements were not kept.
        """
        wanted = ("dtype", "shape", "value_position", *_HEALTH)
        rows = self.tensors(event, event + 1, wanted).to_pylist() if 0 <= event < self.tensor_count else []
        if not rows:
            raise UsageError(f"no event {event}; the trace has {self.tensor_count}, numbered from 0")
        (row,) = rows
        if row["value_position"] is None:
            raise UsageError(
                f"the elements of event {event} were not kept; record with --detail values, and a filter that it passes"
            )
        with reading_of(self.path / "values"):
            shape = tuple(int(extent) for extent in json.loads(row["shape"]))
            known = {name: row[name] for name in _HEALTH}
            health = None if None in known.values() else Health(**known)
        return self.read_value(KeptTensor(row["value_position"], row["dtype"], shape, health))

    def read_value(self, kept: KeptTensor) -> Array:
        """Elements of which it is known where they lie; the array can't be written.

        Raises:
            UsageError: If NumPy lacks their dtype.
        """
        return ValueFiles(self.path, self.metadata.value_file_bytes).read(kept)

    def read_beginning(self, position: int, count: int) -> list[tuple[bytes, int]]:
        """The beginnings of the first of so many strings, each with its length, see `strings.py`."""
        return ValueFiles(self.path, self.metadata.value_file_bytes).beginning(position, count)

    def sites(self) -> Mapping[int, Site]:
        """All sites by number."""
        return self._described().sites

    def functions(self) -> Mapping[int, Function]:
        """All functions by number."""
        return self._described().functions

    def stacks(self) -> Mapping[int, tuple[Frame, ...]]:
        """All stacks by number, the outermost frame first."""
        return self._described().stacks

    def sources(self) -> Mapping[str, SourceFile]:
        """All source files by name."""
        return self._described().sources

    def variables(self) -> Mapping[int, Variable]:
        """All variables by number."""
        return self._described().variables

    def paths(self) -> Mapping[int, str]:
        """All call paths inside graphs by number; 0 is the root."""
        return self._described().paths

    def sealed_files(self, name: str) -> tuple[str, ...]:
        """Names of the Parquet files of a table, where they hold it in the present format, for others to read them.

        They have been checked, and are open as long as this reader is there: the names are good in this process alone.
        """
        if self._version != FORMAT_VERSION:
            return ()
        manifest = self._snapshot.manifest
        parts: tuple[Part, ...]
        if name == "tensors":
            parts = manifest.tensors
        elif not manifest.complete:
            parts = ()
        else:
            parts = manifest.executions if name == "executions" else (self._described_part(name),)
        return self._retrying(lambda: tuple(self._part(name, part).check() for part in parts))

    def bring(self, name: str, columns: Sequence[str], where: Sequence[Condition] = ()) -> None:
        """Sees to it that others can read columns of a table's files, of the rows for which all conditions may hold."""
        manifest = self._snapshot.manifest
        described = [part for table, part in manifest.tables.items() if table == name]
        for part in {"tensors": manifest.tensors, "executions": manifest.executions}.get(name, described):
            self._retrying(functools.partial(self._part(name, part).bring, columns, where))

    def raw_tensors(self) -> pa.Table:
        """The tensor events that lie in no Parquet file of `sealed_files`."""
        sealed = sum(length for chunk, length in self._retrying(self._chunks) if isinstance(chunk, SealedPart))
        return self.tensors(sealed if self.sealed_files("tensors") else 0, self.tensor_count)

    @property
    def _version(self) -> int:
        return self._snapshot.stored.version

    def _check_numbers(self, right: bool) -> None:
        """Refuses a trace whose events or executions are not numbered in order: all else is found by these numbers."""
        if not right:
            raise damaged(self.path, "its events are not numbered in their order")

    def _retrying(self, read: Callable[[], Result]) -> Result:
        """Reads again if a file is gone because the trace was sealed meanwhile."""
        try:
            return read()
        except FileNotFoundError as error:
            before = self._snapshot
            self._snapshot = take_snapshot(self.path)
            if self._snapshot.manifest == before.manifest:
                raise missing(Path(error.filename or self.path)) from None
            self._parts = {}
        try:
            return read()
        except FileNotFoundError as error:
            raise missing(Path(error.filename or self.path)) from None

    def _chunks(self) -> list[tuple[SealedPart | DecodedSegment, int]]:
        """What the tensor events lie in, in order, with their number of events."""
        manifest = self._snapshot.manifest
        sealed = [self._part("tensors", part) for part in manifest.tensors]
        chunks: list[tuple[SealedPart | DecodedSegment, int]] = [(part, part.rows) for part in sealed]
        chunks += [(segment, len(segment)) for segment in self._snapshot.events.segments]
        return chunks

    def _part(self, name: str, part: Part) -> SealedPart:
        if part.file not in self._parts:
            self._parts[part.file] = SealedPart(self.path, part, name, self._version, self._most_sites())
        return self._parts[part.file]

    def _most_sites(self) -> int:
        """What the numbers of all sites stay below."""
        described = self._snapshot.manifest.tables.get("sites")
        return most_numbers(len(self._snapshot.catalog.sites) if described is None else described.rows)

    def _other_table(self, name: str) -> pa.Table:
        if name not in self._small:
            self._small[name] = self._all_executions() if name == "executions" else self._catalog_table(name)
        return self._small[name]

    def _catalog_table(self, name: str) -> pa.Table:
        manifest = self._snapshot.manifest
        if not manifest.complete:
            return catalog_table(self._snapshot.catalog, name)
        part = self._described_part(name)
        table = self._part(name, part).read()
        with reading_of(self.path / part.file):
            return check_described(name, table)

    def _described_part(self, name: str) -> Part:
        """Where one of the small tables lies, once all is sealed."""
        tables = self._snapshot.manifest.tables
        if name not in tables:
            raise damaged(self.path / MANIFEST, f"it names no table {name}")
        return tables[name]

    def _all_executions(self) -> pa.Table:
        tables = [self._part("executions", part).read() for part in self._snapshot.manifest.executions]
        events = self._snapshot.events
        tables += [segment.executions.to_table() for segment in events.segments]
        tables.append(events.unfinished.to_table())
        table = pa.concat_tables(tables).combine_chunks()
        # A call that ended in a later segment than it began in stands behind others until all is sealed.
        if not self._snapshot.manifest.complete:
            return one_of_each(table)
        self._check_numbers(is_ordered(table))
        return table

    def _described(self) -> Catalog:
        if self._catalog is None:
            self._catalog = self._retrying(self._read_catalog)
        return self._catalog

    def _read_catalog(self) -> Catalog:
        if not self._snapshot.manifest.complete:
            return self._snapshot.catalog
        with reading_of(self.path):
            return catalog_from_tables({name: self._other_table(name) for name in CATALOG_TABLES})
