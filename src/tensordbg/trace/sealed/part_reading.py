"""Reads one sealed Parquet part, whole, in slices or filtered, in whatever version of the format it was written."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tensordbg.opening import is_brought
from tensordbg.trace.damage import damaged, reading_of
from tensordbg.trace.migrations import needs_all_columns, upgrade_table
from tensordbg.trace.program.proportion import MOST_NUMBERS
from tensordbg.trace.schema import EVENT_TABLES, FORMAT_VERSION, TABLES
from tensordbg.trace.sealed.parts import HeldPart, Part, open_part
from tensordbg.trace.sealed.table_checks import check_events

Condition = tuple[str, str, int]
"""A column, a sign such as `>`, and a number."""

_SIGNS: Mapping[str, Callable[[Any, int], Any]] = {
    ">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le, "=": operator.eq,
    "!=": operator.ne,
}  # fmt: skip


class SealedPart:
    """One part of a table; opened when it is first read."""

    def __init__(self, folder: Path, part: Part, name: str, version: int, most: int = MOST_NUMBERS) -> None:
        """Of the table with this name, written in this version of the format; all sites have numbers below `most`."""
        self._most = most
        self._folder = folder
        self._part = part
        self._name = name
        self._version = version

    def check(self) -> str:
        """A name of the file, as it is open here, if it is there and what was written.

        Raises:
            FileNotFoundError: If it is gone.
            TraceError: If it is damaged.
        """
        return self._held.name

    def read(self) -> pa.Table:
        """All of it.

        Raises:
            FileNotFoundError: If the file is gone.
            TraceError: If it is damaged.
        """
        return self._read(self._every_group, None)

    def bring(self, columns: Sequence[str], where: Sequence[Condition]) -> None:
        """Sees to it that others can read columns, of the rows for which all of some conditions may hold.

        Raises:
            FileNotFoundError: If the file is gone.
            TraceError: If it is damaged.
        """
        self._need(columns, [_SIGNS[sign](pc.field(column), number) for column, sign, number in where])

    def _need(self, columns: Sequence[str], where: Sequence[Any]) -> None:
        path = self._folder / self._part.file
        with reading_of(path):
            if is_brought(path):
                self._held.need(self._groups_with(where), columns)

    def tensors(self, columns: Sequence[str], begin: int, end: int) -> pa.Table:
        """Columns of a slice of the rows; only the row groups that hold it are read.

        Raises:
            FileNotFoundError: If the file is gone.
            TraceError: If it is damaged.
        """
        starts = self._starts
        groups = [group for group in range(len(starts) - 1) if starts[group] < end and starts[group + 1] > begin]
        if not groups:
            raise damaged(self._folder / self._part.file, "it has fewer rows than it should")
        offset = int(starts[groups[0]])
        return self._read(groups, columns).slice(begin - offset, end - begin)

    def scan(self, columns: Sequence[str], where: Any) -> pa.Table:
        """Columns of the rows for which an expression holds; row groups that can't have any are not read.

        Raises:
            FileNotFoundError: If the file is gone.
            TraceError: If it is damaged.
        """
        if self._version != FORMAT_VERSION:
            needed = dict.fromkeys(
                [*columns, *(word for word in re.findall(r"\w+", str(where)) if word in self._names)]
            )
            table = self._read(self._every_group, list(needed))
            return (table if where is None else table.filter(where)).select(columns)
        # It brings pandas along, which takes longer to import than most commands take, and few of them come here.
        import pyarrow.dataset as ds

        name = self.check()
        if where is not None:
            # Words of an expression are names of columns, or more than those, which does no harm.
            self._need([*columns, *re.findall(r"\w+", str(where))], [where])
        else:
            self._need(columns, [])
        checked = ds.ParquetFragmentScanOptions(page_checksum_verification=True)
        with reading_of(self._folder / self._part.file):
            form = ds.ParquetFileFormat(default_fragment_scan_options=checked)
            dataset = ds.dataset([name], schema=TABLES[self._name], format=form)
            return self._sound(dataset.to_table(columns=list(columns), filter=where))

    def _held_of(self, names: Sequence[str]) -> list[str] | None:
        """The columns of an older file that are read for some of the present ones; `None` for all."""
        if needs_all_columns(self._version):
            return None
        held = self._held.parquet.schema_arrow.names
        return [name for name in held if name in names] or held[:1]

    @property
    def _names(self) -> list[str]:
        names: list[str] = TABLES[self._name].names
        return names

    def _groups_with(self, where: Sequence[Any]) -> list[int]:
        """The groups of rows for which each of some expressions may hold, by their statistics."""
        import pyarrow.dataset as ds

        schema = TABLES[self._name]
        groups = set(self._every_group)
        for expression in where:
            (fragment,) = ds.dataset([self._held.name], schema=schema, format="parquet").get_fragments()
            groups &= {each.id for each in fragment.subset(expression, schema=schema).row_groups}
        return sorted(groups)

    @property
    def _every_group(self) -> list[int]:
        return list(range(self._held.parquet.num_row_groups))

    @property
    def rows(self) -> int:
        """How many rows it has, as its file says too.

        Raises:
            FileNotFoundError: If the file is gone.
            TraceError: If it is damaged.
        """
        self.check()
        return self._part.rows

    def _sound(self, table: pa.Table) -> pa.Table:
        """The table, if it is consistent: the heads of Parquet's pages have no checksum, and anybody can make one.

        Raises:
            ValueError, LookupError: If it is not.
        """
        table.validate(full=True)
        return check_events(self._name, table, self._most) if self._name in EVENT_TABLES else table

    @cached_property
    def _held(self) -> HeldPart:
        held = open_part(self._folder, self._part)
        if self._version == FORMAT_VERSION and not held.parquet.schema_arrow.equals(TABLES[self._name]):
            raise damaged(self._folder / self._part.file, "its columns are not those of the table")
        return held

    @cached_property
    def _starts(self) -> Any:
        """Where each row group begins, and the end."""
        path = self._folder / self._part.file
        with reading_of(path):
            metadata = self._held.parquet.metadata
            rows = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
            return np.concatenate([[0], np.cumsum(rows)]).astype(np.int64)

    def _read(self, groups: list[int], columns: Sequence[str] | None) -> pa.Table:
        file = self._held.parquet
        schema = TABLES[self._name]
        with reading_of(self._folder / self._part.file):
            if self._version == FORMAT_VERSION:
                names = list(columns or schema.names)
                self._held.need(groups, names)
                table = file.read_row_groups(groups, columns=names)
            else:
                names = list(columns or schema.names)
                held = self._held_of(names)
                self._held.need(groups, held)
                table = upgrade_table(self._version, self._name, file.read_row_groups(groups, columns=held))
            table.validate(full=True)
            return self._sound(table.select(names).cast(_only(schema, names)))


def _only(schema: pa.Schema, names: list[str]) -> pa.Schema:
    return pa.schema([schema.field(name) for name in names])
