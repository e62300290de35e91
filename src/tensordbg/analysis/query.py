"""SQL over the tables of a trace, by DuckDB. Sealed events are read from their files as a query needs them.

Besides the tables of `trace/schema.py` there is the view `events`: `tensors` with the names of site, operation type,
function and call path, and with the innermost line of the user's own code. Of a run of several processes each table
holds the rows of all, with the column `process` before the others: numbers mean something only within one process.
"""

from __future__ import annotations

import glob
import re
import threading
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import duckdb

from tensordbg.analysis.query_limits import Limits
from tensordbg.analysis.query_needs import needs_of_plan
from tensordbg.errors import TraceError, UsageError
from tensordbg.trace.bounded import read_at_most
from tensordbg.trace.schema import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from types import TracebackType

    import pyarrow as pa

    from tensordbg.trace.reader import TraceReader

_EVENTS = """
CREATE VIEW {schema}.events AS
SELECT tensors.*,
       sites.name AS name,
       sites.op_type AS op_type,
       sites.name || ':' || tensors.slot AS tensor,
       functions.name AS function,
       paths.name AS path_name,
       places.file AS file,
       places.line AS line
FROM {schema}.tensors AS tensors
LEFT JOIN {schema}.sites AS sites ON sites.site = tensors.site
LEFT JOIN {schema}.functions AS functions ON functions.function = sites.function
LEFT JOIN {schema}.paths AS paths ON paths.path = tensors.path
LEFT JOIN (
    SELECT stack, arg_max(file, depth) AS file, arg_max(line, depth) AS line
    FROM {schema}.stacks WHERE "user" GROUP BY stack
) AS places ON places.stack = sites.stack
"""

_OF_EVENTS = ("tensors", "sites", "functions", "paths", "stacks")
"""The tables of which `events` is made."""

_CONFIGURATION: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
_BATCH_ROWS = 100_000
_NAMED = 3
"""So many traces are named where one of them is damaged."""

_CAUSED_BY_QUERY = (
    duckdb.DataError,
    duckdb.NotSupportedError,
    duckdb.OutOfMemoryException,
    duckdb.PermissionException,
    duckdb.ProgrammingError,
)


def sql(reader: TraceReader, query: str, limits: Limits | None = None) -> pa.Table:
    """The answer to one SELECT.

    Nothing outside the trace can be read, and nothing can be written.

    Args:
        reader: The trace.
        query: In DuckDB's dialect, over `events` and the tables of `trace/schema.py`.
        limits: How much it may take; None for a query of our own, whose size is known.

    Raises:
        UsageError: If the query is not one SELECT, DuckDB can't answer it, or it takes more than it may.
        TraceError: If the trace can't be read.
    """
    return sql_of_run({"": reader}, query, limits)


def sql_of_run(processes: Mapping[str, TraceReader], query: str, limits: Limits | None = None) -> pa.Table:
    """The answer to one SELECT over the processes of a run, given by name; see `sql`."""
    shared = _SHARED.get()
    if limits is None and shared is not None and shared.key == _key(processes):
        return shared.answer(query)
    with _Database(processes, limits) as database:
        return database.answer(query)


def sql_of_part(name: str, reader: TraceReader, query: str, limits: Limits | None = None) -> pa.Table:
    """The answer of one process of a run of several to one SELECT; each table has the column `process`.

    Tables that the query does not name are not opened: of a thousand processes that takes minutes.
    """
    named = set(re.findall(r"\w+", query.lower()))
    if "events" in named:
        named |= {*_OF_EVENTS}
    tables = tuple(table for table in (*TABLES, "events") if table in named)
    with _Database({name: reader}, limits, _Shape(True, tables)) as database:
        return database.answer(query)


@contextmanager
def one_database(processes: Mapping[str, TraceReader]) -> Iterator[None]:
    """Has one database answer all queries of our own that the block asks of some processes, given by name.

    To set one up takes twenty times as long as most queries. A block inside a block asks the database of the outer one.
    """
    shared = _SHARED.get()
    known = shared is not None and shared.key == _key(processes)
    # A file that is brought in part changes from query to query.
    if known or any(reader.brought for reader in processes.values()):
        yield
        return
    with _Database(processes, None) as database:
        token = _SHARED.set(database)
        try:
            yield
        finally:
            _SHARED.reset(token)


@dataclass(frozen=True)
class _Shape:
    """Which tables a database has, and how."""

    named: bool
    """Whether they have the column `process`."""
    tables: tuple[str, ...] = (*TABLES, "events")


class _Database:
    """A database over the tables of some processes, which are made known to it when the first query is found right."""

    def __init__(
        self, processes: Mapping[str, TraceReader], limits: Limits | None, shape: _Shape | None = None
    ) -> None:
        self.key = _key(processes)
        self._shape = _Shape(len(processes) > 1) if shape is None else shape
        self._processes = processes
        self._limits = limits
        self._knows_tables = False
        self._connection = duckdb.connect(config=_CONFIGURATION)

    def __enter__(self) -> _Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._connection.close()

    def answer(self, query: str) -> pa.Table:
        """See `sql`."""
        database, limits = self._connection, self._limits
        try:
            _check(database, query)
            self._learn_tables()
            _bring(database, self._processes, query)
            try:
                return _answer(database, query, limits)
            except duckdb.Error as error:
                if isinstance(error, _CAUSED_BY_QUERY) or not _bring_all(self._processes):
                    raise
                return _answer(database, query, limits)
        except _CAUSED_BY_QUERY as error:
            known = ", ".join(sorted([*TABLES, "events"]))
            raise UsageError(f"no answer to the query ({_one_line(error)}); it may use the tables {known}") from error
        except duckdb.Error as error:
            raise _damaged(self._processes, error) from error

    def _learn_tables(self) -> None:
        if self._knows_tables:
            return
        try:
            if self._limits is not None:
                _limit_memory(self._connection, self._limits)
            _register(self._connection, self._processes, self._shape)
        except duckdb.Error as error:
            raise _damaged(self._processes, error) from error
        self._knows_tables = True


_SHARED: ContextVar[_Database | None] = ContextVar("_SHARED", default=None)
"""The database of the innermost `one_database`."""


def _key(processes: Mapping[str, TraceReader]) -> tuple[object, ...]:
    """Tells databases from one another: a single process is the same under any name, as it lends that to no row."""
    return tuple(processes.values()) if len(processes) == 1 else tuple(processes.items())


def _answer(database: duckdb.DuckDBPyConnection, query: str, limits: Limits | None) -> pa.Table:
    return database.sql(query).to_arrow_table() if limits is None else _bounded(database, query, limits)


def _limit_memory(database: duckdb.DuckDBPyConnection, limits: Limits) -> None:
    database.execute(f"SET memory_limit = '{limits.memory}B'")
    database.execute("SET temp_directory = ''")


def _bounded(database: duckdb.DuckDBPyConnection, query: str, limits: Limits) -> pa.Table:
    alarm = threading.Timer(limits.seconds, database.interrupt)
    alarm.daemon = True
    alarm.start()
    try:
        answer = read_at_most(database.sql(query).to_arrow_reader(_BATCH_ROWS), limits.answer)
    except duckdb.InterruptException as error:
        raise UsageError(
            f"the query took longer than {limits.seconds:g} seconds; ask for less, or {limits.advice}"
        ) from error
    finally:
        alarm.cancel()
    if answer is None:
        raise UsageError(
            f"the answer takes more than {limits.answer:,} bytes; add a LIMIT, or write the tables with `tdbg export`"
        )
    return answer


def _check(database: duckdb.DuckDBPyConnection, query: str) -> None:
    statements = database.extract_statements(query)
    # EXPLAIN is no SELECT: that of a COPY would write.
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise UsageError(f"the query {query.strip()[:60]!r} is not one SELECT; a trace is only read: ask one SELECT")


def schemas(processes: Mapping[str, TraceReader]) -> dict[str, str]:
    """By the name of each process the schema that holds its own tables, without the column `process`."""
    return _schemas(processes, len(processes) > 1)


def _schemas(processes: Mapping[str, TraceReader], named: bool) -> dict[str, str]:
    if not named:
        return dict.fromkeys(processes, "main")
    return {name: f"process_{k}" for k, name in enumerate(processes)}


def sql_of_tables(tables: Mapping[str, pa.Table], query: str, limits: Limits | None = None) -> pa.Table:
    """The answer to one SELECT over tables, given by name.

    Raises:
        UsageError: If the query is not right, or takes more than it may.
    """
    bare = limits is None and not tables
    database = _bare_database().cursor() if bare else duckdb.connect(config=_CONFIGURATION)
    try:
        if limits is not None:
            _limit_memory(database, limits)
        for name, table in tables.items():
            database.register(name, table)
        if not bare:
            database.execute("SET enable_external_access = false")
        return _answer(database, query, limits)
    except duckdb.Error as error:
        raise UsageError(f"no answer to the query ({_one_line(error)})") from error
    finally:
        database.close()


@cache
def _bare_database() -> duckdb.DuckDBPyConnection:
    """A database without tables, for what is asked of queries: to set one up takes longer than the answer."""
    return duckdb.connect(config={**_CONFIGURATION, "enable_external_access": "false"})


def _register(database: duckdb.DuckDBPyConnection, processes: Mapping[str, TraceReader], shape: _Shape) -> None:
    """Makes the tables known, then takes away whatever else the database could reach."""
    places = _schemas(processes, shape.named)
    for name, schema in places.items():
        database.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        _register_tables(database, processes[name], schema, shape.tables)
    if shape.named:
        for table in shape.tables:
            parts = [f"SELECT {quoted(name)} AS process, * FROM {schema}.{table}" for name, schema in places.items()]
            database.execute(f"CREATE VIEW {table} AS " + " UNION ALL BY NAME ".join(parts))
    sealed = [name for name in TABLES if name in shape.tables]
    files = [file for reader in processes.values() for name in sealed for file in reader.sealed_files(name)]
    database.execute(f"SET allowed_paths = {_list([*files, *map(glob.escape, files)])}")
    database.execute("SET enable_external_access = false")
    database.execute("SET lock_configuration = true")


def _register_tables(
    database: duckdb.DuckDBPyConnection, reader: TraceReader, schema: str, tables: Sequence[str]
) -> None:
    for name in (each for each in TABLES if each in tables):
        files = reader.sealed_files(name)
        parts = [f"SELECT * FROM read_parquet({_list(map(glob.escape, files))})"] if files else []
        raw = _raw(reader, name)
        if raw is not None and (len(raw) or not files):
            database.register(f"raw_{schema}_{name}", raw)
            parts.append(f"SELECT * FROM raw_{schema}_{name}")
        database.execute(f"CREATE VIEW {schema}.{name} AS " + " UNION ALL BY NAME ".join(parts))
    if "events" in tables:
        database.execute(_EVENTS.format(schema=schema))


def _raw(reader: TraceReader, name: str) -> pa.Table | None:
    """What of a table lies in no Parquet file."""
    if name == "tensors":
        return reader.raw_tensors()
    return None if reader.sealed_files(name) else reader.table(name)


def _bring(database: duckdb.DuckDBPyConnection, processes: Mapping[str, TraceReader], query: str) -> None:
    """Has what the query will read brought from object storage, as DuckDB's plan tells it."""
    readers = [reader for reader in processes.values() if reader.brought]
    if not readers:
        return
    (row,) = database.execute(f"EXPLAIN (FORMAT json) {query}").fetchall()
    for need in needs_of_plan(row[1]):
        for reader in readers:
            reader.bring(need.table, need.columns, need.where)


def _bring_all(processes: Mapping[str, TraceReader]) -> bool:
    """Has everything brought, if some of it lies in object storage: DuckDB may read more than its plan tells."""
    readers = [reader for reader in processes.values() if reader.brought]
    for reader in readers:
        for name, schema in TABLES.items():
            reader.bring(name, schema.names)
    return bool(readers)


def _list(files: Iterable[str]) -> str:
    return "[" + ", ".join(map(quoted, files)) + "]"


def quoted(text: str) -> str:
    """A text as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"


def _damaged(processes: Mapping[str, TraceReader], error: duckdb.Error) -> TraceError | UsageError:
    """The error to tell where a query is right and can't be answered."""
    if "Too many open files" in str(error):
        return UsageError(
            f"the query needs more files of {len(processes):,} processes at once than this process may open; ask "
            "of fewer by --process, or allow more by `ulimit -n`"
        )
    folders = ", ".join(str(reader.path) for reader in list(processes.values())[:_NAMED])
    if len(processes) > _NAMED:
        folders += f" or {len(processes) - _NAMED:,} more"
    return TraceError(f"{folders}: can't be read ({_one_line(error)}); restore it from a copy, or record again")


def _one_line(error: Exception) -> str:
    """What DuckDB says, without the excerpt of the query that follows it."""
    return " ".join(str(error).partition("\nLINE ")[0].split())[:300]
