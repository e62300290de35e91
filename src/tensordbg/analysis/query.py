"""SQL over the tables of a trace, by DuckDB. Sealed events are read from their files as a query needs them.

Besides the tables of `trace/schema.py` there is the view `events`: `tensors` with the names of site, operation type,
function and call path, and with the innermost line of the user's own code.
"""

from __future__ import annotations

import glob
from typing import TYPE_CHECKING

import duckdb

from tensordbg.errors import TraceError, UsageError
from tensordbg.trace.schema import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pyarrow as pa

    from tensordbg.trace.reader import TraceReader

_EVENTS = """
CREATE VIEW events AS
SELECT tensors.*,
       sites.name AS name,
       sites.op_type AS op_type,
       sites.name || ':' || tensors.slot AS tensor,
       functions.name AS function,
       paths.name AS path_name,
       places.file AS file,
       places.line AS line
FROM tensors
LEFT JOIN sites ON sites.site = tensors.site
LEFT JOIN functions ON functions.function = sites.function
LEFT JOIN paths ON paths.path = tensors.path
LEFT JOIN (
    SELECT stack, arg_max(file, depth) AS file, arg_max(line, depth) AS line FROM stacks WHERE "user" GROUP BY stack
) AS places ON places.stack = sites.stack
"""

_CONFIGURATION: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
_CAUSED_BY_QUERY = (
    duckdb.DataError,
    duckdb.NotSupportedError,
    duckdb.OutOfMemoryException,
    duckdb.PermissionException,
    duckdb.ProgrammingError,
)


def sql(reader: TraceReader, query: str) -> pa.Table:
    """The answer to one SELECT.

    Nothing outside the trace can be read, and nothing can be written.

    Args:
        reader: The trace.
        query: In DuckDB's dialect, over `events` and the tables of `trace/schema.py`.

    Raises:
        UsageError: If the query is not one SELECT, or DuckDB can't answer it.
        TraceError: If the trace can't be read.
    """
    with duckdb.connect(config=_CONFIGURATION) as database:
        try:
            _check(database, query)
            try:
                _register(database, reader)
            except duckdb.Error as error:
                raise _damaged(reader, error) from error
            return database.sql(query).to_arrow_table()
        except _CAUSED_BY_QUERY as error:
            known = ", ".join(sorted([*TABLES, "events"]))
            raise UsageError(f"no answer to the query ({_one_line(error)}); it may use the tables {known}") from error
        except duckdb.Error as error:
            raise _damaged(reader, error) from error


def _check(database: duckdb.DuckDBPyConnection, query: str) -> None:
    statements = database.extract_statements(query)
    # EXPLAIN is no SELECT: that of a COPY would write.
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise UsageError(f"the query {query.strip()[:60]!r} is not one SELECT; a trace is only read: ask one SELECT")


def _register(database: duckdb.DuckDBPyConnection, reader: TraceReader) -> None:
    """Makes the tables known, then takes away whatever else the database could reach."""
    for name in TABLES:
        files = reader.sealed_files(name)
        parts = [f"SELECT * FROM read_parquet({_list(files)})"] if files else []
        raw = _raw(reader, name)
        if raw is not None and (len(raw) or not files):
            database.register(f"raw_{name}", raw)
            parts.append(f"SELECT * FROM raw_{name}")
        database.execute(f"CREATE VIEW {name} AS " + " UNION ALL BY NAME ".join(parts))
    database.execute(_EVENTS)
    home = f"{reader.path.resolve()}/"
    database.execute(f"SET allowed_directories = [{_quoted(home)}, {_quoted(glob.escape(home))}]")
    database.execute("SET enable_external_access = false")
    database.execute("SET lock_configuration = true")


def _raw(reader: TraceReader, name: str) -> pa.Table | None:
    """What of a table lies in no Parquet file."""
    if name == "tensors":
        return reader.raw_tensors()
    return None if reader.sealed_files(name) else reader.table(name)


def _list(files: Iterable[Path]) -> str:
    return "[" + ", ".join(_quoted(glob.escape(str(file.resolve()))) for file in files) + "]"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _damaged(reader: TraceReader, error: duckdb.Error) -> TraceError:
    return TraceError(f"{reader.path}: can't be read ({_one_line(error)}); restore it from a copy, or record again")


def _one_line(error: Exception) -> str:
    """What DuckDB says, without the excerpt of the query that follows it."""
    return " ".join(str(error).partition("\nLINE ")[0].split())[:300]
