from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tensordbg.trace.program.catalog import Catalog, read_catalog
from tensordbg.trace.schema import EVENT_TABLES, TABLES
from tensordbg.trace.sealed.tables import CATALOG_TABLES, catalog_from_tables, catalog_table


def test_every_small_table_is_made() -> None:
    assert {*CATALOG_TABLES, *EVENT_TABLES} == set(TABLES)


@pytest.mark.parametrize("name", CATALOG_TABLES)
def test_tables_have_their_schema_also_when_empty(trace: Path, name: str) -> None:
    assert catalog_table(read_catalog(trace, 1), name).schema == TABLES[name]
    assert catalog_table(Catalog(), name).schema == TABLES[name]


def test_catalog_comes_back(trace: Path) -> None:
    catalog = read_catalog(trace, 1)
    tables = {name: catalog_table(catalog, name) for name in CATALOG_TABLES}
    # The events of a sealed trace bear the names of devices themselves.
    assert catalog_from_tables(tables) == replace(catalog, devices={0: ""})


def test_edges_are_the_inputs(trace: Path) -> None:
    edges = catalog_table(read_catalog(trace, 1), "edges").to_pylist()
    assert [tuple(edge.values()) for edge in edges] == [(1, 0, 0, 0), (2, 0, 1, 0), (4, 0, 3, 0), (4, 1, 3, 0)]
