"""What a plan of the real DuckDB says of the columns and rows that are read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from tensordbg.analysis.query_needs import Need, needs_of_plan
from tensordbg.trace.schema import TABLES

Needs = Callable[[str], list[Need]]


@pytest.fixture
def needs(tmp_path: Path) -> Needs:
    def ask(query: str) -> list[Need]:
        with duckdb.connect() as database:
            for name, schema in TABLES.items():
                # Of a file without rows DuckDB makes no plan.
                rows = schema.empty_table() if name != "tensors" else None
                path = tmp_path / f"{name}.parquet"
                table = schema.empty_table() if rows is None else rows
                pq.write_table(table, path)
                database.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet(['{path}'])")
            (row,) = database.execute(f"EXPLAIN (FORMAT json) {query}").fetchall()
            return [need for need in needs_of_plan(row[1]) if need.table == "tensors"]

    return ask


def test_columns(needs: Needs) -> None:
    (need,) = needs("select step, sum(size) from tensors group by step")
    assert set(need.columns) == {"step", "size"}
    assert need.where == ()


def test_conditions_on_numbers(needs: Needs) -> None:
    (need,) = needs("select event, dtype from tensors where nan > 0 and step >= 3 and first_bad != -1")
    assert {"event", "nan", "step", "dtype", "first_bad"} <= set(need.columns)
    assert set(need.where) == {("nan", ">", 0), ("step", ">=", 3), ("first_bad", "!=", -1)}


def test_what_is_not_understood_is_taken_to_hold(needs: Needs) -> None:
    (need,) = needs("select event from tensors where (nan > 0 or size = 3) and min < 0.5")
    assert {"event", "nan", "size", "min"} <= set(need.columns)
    assert need.where == ()


def test_each_reading_of_a_table_has_its_own(needs: Needs) -> None:
    found = needs("select a.event from tensors a join tensors b on a.event = b.event where b.nan > 0 and a.size > 5")
    assert {each.where for each in found} == {(("nan", ">", 0),), (("size", ">", 5),)}


def test_a_table_without_the_columns_needs_nothing(needs: Needs) -> None:
    assert needs("select op_type from sites") == []
