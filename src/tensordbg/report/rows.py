"""The answer to a query as a table for the terminal, as CSV, or as objects for JSON."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

from rich.table import Table

from tensordbg.report.listing import plain_table


def as_table(answer: Any) -> Table:
    """A `pyarrow.Table` as a table of the terminal; numbers to the right."""
    table = plain_table()
    columns = [column.to_pylist() for column in answer.columns]
    for name, values in zip(answer.column_names, columns, strict=True):
        numeric = all(isinstance(value, int | float) for value in values if value is not None)
        table.add_column(name, justify="right" if numeric and values else "left", overflow="fold")
    for row in zip(*columns, strict=True):
        table.add_row(*map(cell, row))
    return table


def as_csv(answer: Any) -> str:
    """A `pyarrow.Table` as CSV with a line of names; nothing stands for null."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(answer.column_names)
    writer.writerows(zip(*(column.to_pylist() for column in answer.columns), strict=True))
    return text.getvalue()


def as_objects(answer: Any) -> list[dict[str, Any]]:
    """A `pyarrow.Table` as one object per row, with only what JSON has: null stands for NaN and infinities too."""
    return [{name: plain(value) for name, value in row.items()} for row in answer.to_pylist()]


def cell(value: object) -> str:
    """One value of a table; NULL is neither NaN nor an empty text."""
    if value is None:
        return "NULL"
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else f"{value:.6g}"
    return str(value)


def plain(value: Any) -> Any:
    """A value of Arrow with only what JSON has."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value if value is None or isinstance(value, str | int) else str(value)
