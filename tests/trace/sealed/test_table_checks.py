from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tensordbg.trace.program.catalog import read_catalog
from tensordbg.trace.reader import open_trace
from tensordbg.trace.schema import FORMAT_VERSION, TENSORS
from tensordbg.trace.sealed.table_checks import check_described, check_events
from tensordbg.trace.sealed.tables import CATALOG_TABLES, catalog_table
from tests.trace.samples import eventful_trace

WRONG: list[tuple[str, str, Any]] = [
    ("sites", "site", None),
    ("sites", "site", -1),
    ("sites", "site", 2_000_000_000),
    ("sites", "name", None),
    ("sites", "dtypes", [None]),
    ("sites", "reads", [2_000_000_000]),
    ("sites", "call", "sometimes"),
    ("sites", "attributes", "[]"),
    ("sites", "layer", "{}"),
    ("functions", "graph", 2_000_000_000),
    ("functions", "tracing", "3"),
    ("functions", "output_slots", [0, 0]),
    ("edges", "from_site", 2_000_000_000),
    ("edges", "from_slot", 2**16),
    ("stacks", "line", None),
    ("stacks", "file", None),
    ("paths", "name", None),
]


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return eventful_trace(tmp_path_factory.mktemp("eventful") / "trace").finish()


def with_value(table: pa.Table, column: str, value: Any) -> pa.Table:
    """The table with another value in the first row of a column."""
    number = table.column_names.index(column)
    values = [value, *table.column(column).to_pylist()[1:]]
    return table.set_column(number, table.schema.field(number), pa.array(values, table.schema.field(number).type))


@pytest.mark.parametrize("name", CATALOG_TABLES)
def test_a_sound_table_passes(trace: Path, name: str) -> None:
    table = catalog_table(read_catalog(trace, FORMAT_VERSION), name)
    assert check_described(name, table) is table


@pytest.mark.parametrize(("name", "column", "value"), WRONG)
def test_a_forged_table_is_refused(trace: Path, name: str, column: str, value: Any) -> None:
    table = with_value(catalog_table(read_catalog(trace, FORMAT_VERSION), name), column, value)
    with pytest.raises(ValueError, match=rf"{name}\.{column}: "):
        check_described(name, table)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("site", 2_000_000_000), ("site", None), ("step", -2), ("slot", 2**16), ("path", -1), ("shape", "[[")),
        *(("event", None), ("dtype", None), ("execution", 2**50), ("iteration", -5)),
    ],
)
def test_forged_events_are_refused(trace: Path, column: str, value: Any) -> None:
    table = open_trace(trace).table("tensors").cast(TENSORS)
    assert check_events("tensors", table, 1000) is table
    with pytest.raises(ValueError, match=rf"tensors\.{column}: "):
        check_events("tensors", with_value(table, column, value), 1000)
