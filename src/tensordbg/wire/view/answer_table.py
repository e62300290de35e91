"""The answer to a query in SQL, for the page."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

Cell = str | int | float | bool | None

_EXACT = 2**53
"""Above it a browser does not count whole numbers exactly."""
_MOST_TEXT = 2000


@dataclass(frozen=True)
class AnswerColumn:
    """One column of an answer."""

    name: str
    numeric: bool
    """Whether all its cells are numbers, or nothing."""


@dataclass(frozen=True)
class AnswerTable:
    """The first rows of an answer."""

    columns: tuple[AnswerColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    """NaN and infinities are the words `nan`, `inf` and `-inf`, whole numbers beyond 2^53 their digits."""
    total: int
    """How many rows the answer has."""


def answer_table(answer: Any, most: int) -> AnswerTable:
    """A `pyarrow.Table` with at most so many of its rows."""
    shown = answer.slice(0, most)
    columns = [column.to_pylist() for column in shown.columns]
    described = tuple(
        AnswerColumn(name, _is_numeric(values)) for name, values in zip(shown.column_names, columns, strict=True)
    )
    rows = tuple(tuple(map(_cell, row)) for row in zip(*columns, strict=True))
    return AnswerTable(described, rows, len(answer))


def _is_numeric(values: list[Any]) -> bool:
    present = [value for value in values if value is not None]
    return bool(present) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in present)


def _cell(value: Any) -> Cell:
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if abs(value) <= _EXACT else str(value)
    return value if value is None or isinstance(value, bool) else str(value)[:_MOST_TEXT]
