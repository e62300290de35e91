"""Reading traces of older formats: for each older version one entry that turns its rows and tables into the next one's.

To change the format: raise the version in `schema.py` and `metadata.py`, and add to `MIGRATIONS` an entry for the
version that was. Raw segments are not migrated: a change of `record.py` must keep a decoder for the former layout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tensordbg.errors import TraceError
from tensordbg.trace.schema import FORMAT_VERSION, TABLES

Row = dict[str, Any]


def _same_metadata(row: Row) -> Row:
    return row


def _same_row(name: str, row: Row) -> Row:  # noqa: ARG001  one signature for all
    return row


def _same_table(name: str, table: pa.Table) -> pa.Table:  # noqa: ARG001  one signature for all
    return table


@dataclass(frozen=True)
class Migration:
    """The step from one version to the next; what is not given stays as it is."""

    metadata: Callable[[Row], Row] = _same_metadata
    """Of the object in `trace.json`."""
    row: Callable[[str, Row], Row] = _same_row
    """Of one JSON line, by the name of its file (`sites`)."""
    table: Callable[[str, pa.Table], pa.Table] = _same_table
    """Of one sealed table, by its name; with all its columns, unless it only adds some."""
    only_adds: bool = False
    """Whether it leaves the columns that a table has as they are."""


_SINCE_2: dict[str, dict[str, Any]] = {
    "functions": {"tracing": ""},
    "sites": {"layer": ""},
    "variables": {"trainable": None},
}
"""Columns that version 2 added, with what they hold in an older trace."""


_SINCE_3: dict[str, dict[str, Any]] = {"tensors": {"run": 0}}
"""Those that version 3 added."""


_SINCE_4: dict[str, dict[str, Any]] = {"sites": {"backward": None, "framework": ""}}
"""Those that version 4 added; the analysis says of older sites what they tell of themselves."""


_SINCE_5: dict[str, dict[str, Any]] = {"tensors": {"sum_abs": None, "sketch": None, "elements": None}}
"""Those that version 5 added. Its raw records are those of before: what they hold besides lay where nothing did."""


def _adding(columns: dict[str, dict[str, Any]]) -> Callable[[str, pa.Table], pa.Table]:
    def add(name: str, table: pa.Table) -> pa.Table:
        for column, value in columns.get(name, {}).items():
            if column not in table.column_names:
                field = TABLES[name].field(column)
                table = table.append_column(field, pa.repeat(pa.scalar(value, field.type), len(table)))
        return table

    return add


MIGRATIONS: dict[int, Migration] = {
    # The JSON lines of version 1 lack these too; `rows.py` takes the same values for what is missing.
    1: Migration(table=_adding(_SINCE_2), only_adds=True),
    2: Migration(table=_adding(_SINCE_3), only_adds=True),
    3: Migration(table=_adding(_SINCE_4), only_adds=True),
    4: Migration(table=_adding(_SINCE_5), only_adds=True),
}
"""By the version that they start from. Version 1 is the first."""


def check_version(version: object) -> int:
    """The version of a trace's format, if it can be read.

    Raises:
        TraceError: If it is newer than this package, too old, or no version at all.
    """
    if not isinstance(version, int) or isinstance(version, bool):
        raise TraceError(f"format {version!r} is not a number; restore trace.json from a copy, or record again")
    if version > FORMAT_VERSION:
        raise TraceError(f"format {version} is newer than {FORMAT_VERSION}, the newest read here; upgrade tensordbg")
    if any(step not in MIGRATIONS for step in range(version, FORMAT_VERSION)):
        raise TraceError(f"format {version} is too old to be read here; record again")
    return version


def upgrade_metadata(version: int, row: Row) -> Row:
    """The object of `trace.json` as the present version has it."""
    for migration in _steps(version):
        row = migration.metadata(row)
    return row


def upgrade_row(version: int, name: str, row: Row) -> Row:
    """A JSON line as the present version has it."""
    for migration in _steps(version):
        row = migration.row(name, row)
    return row


def upgrade_table(version: int, name: str, table: pa.Table) -> pa.Table:
    """A sealed table as the present version has it."""
    for migration in _steps(version):
        table = migration.table(name, table)
    return table


def needs_all_columns(version: int) -> bool:
    """Tells whether a table has to be read whole to be upgraded: not where versions have only added columns."""
    return any(migration.table is not _same_table and not migration.only_adds for migration in _steps(version))


def _steps(version: int) -> Iterator[Migration]:
    return (MIGRATIONS[step] for step in range(version, FORMAT_VERSION))
