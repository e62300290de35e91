"""Columns and rows of the tables of a trace that are asked for, and tables put together of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from tensordbg.errors import UsageError
from tensordbg.trace.schema import TABLES, TENSORS


def columns_of(name: str, columns: Sequence[str] | None) -> list[str]:
    """Some columns of a table, or all of them.

    Raises:
        UsageError: If there is no such table or column.
    """
    if name not in TABLES:
        raise UsageError(f"table {name!r} is not in a trace; choose one of {', '.join(TABLES)}")
    known = TABLES[name].names
    for column in columns or ():
        if column not in known:
            raise UsageError(f"column {column!r} is not in table {name}; choose from {', '.join(known)}")
    return list(known if columns is None else columns)


def put_together(tables: Sequence[pa.Table], columns: Sequence[str]) -> pa.Table:
    """One table of the rows of several, which all have these columns of `tensors`."""
    if not tables:
        return pa.schema([TENSORS.field(name) for name in columns]).empty_table()
    return pa.concat_tables(tables).unify_dictionaries()


def filtered(table: pa.Table, columns: Sequence[str], where: Any) -> pa.Table:
    """Columns of the rows for which an expression holds, of all for None."""
    return (table if where is None else table.filter(where)).select(list(columns))
