"""Which columns and rows of a trace's tables a query reads, by the plan that DuckDB makes of it.

A trace in object storage is brought as far as it is read. The plan names no table, but its columns do; where several
have them, they are brought of each, and what is not understood of a condition is taken to hold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tensordbg.trace.schema import TABLES
from tensordbg.trace.sealed.part_reading import Condition

_CONDITION = re.compile(r"\((\w+) (>|<|>=|<=|=|!=) (-?\d+)\)")
"""One that statistics of a group of rows can refute; of numbers alone, since texts are compared otherwise elsewhere."""


@dataclass(frozen=True)
class Need:
    """Columns of a table that are read, and what holds for the rows that are."""

    table: str
    columns: tuple[str, ...]
    where: tuple[Condition, ...]


def needs_of_plan(plan: str) -> tuple[Need, ...]:
    """The needs of a plan, as `EXPLAIN (FORMAT json)` gives it."""
    return tuple(need for scan in _scans(json.loads(plan)) for need in _needs(scan))


def _scans(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for node in nodes:
        if "PARQUET" in node.get("name", ""):
            yield node.get("extra_info", {})
        yield from _scans(node.get("children", []))


def _needs(scan: dict[str, Any]) -> Iterator[Need]:
    filters = _listed(scan.get("Filters"))
    columns = {*_listed(scan.get("Projections")), *re.findall(r"\w+", " ".join(filters))}
    named = [name for name in _listed(scan.get("Projections")) if name]
    matches = [match for text in filters if (match := _CONDITION.fullmatch(text))]
    conditions: list[Condition] = [(each[1], each[2], int(each[3])) for each in matches]
    for table, schema in TABLES.items():
        if all(name in schema.names for name in named):
            known = tuple(name for name in schema.names if name in columns)
            where = tuple(each for each in conditions if each[0] in schema.names)
            yield Need(table, known, where)


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())
