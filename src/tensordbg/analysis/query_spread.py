"""SQL over a run whose traces are read by the workers of an engine: each process answers a part, joined here.

The database on the workers and here is DuckDB, so that the dialect is one and the answer that of `sql_of_run`; the
engine only hands out traces. `query_split.py` says which queries can be divided.
"""

from __future__ import annotations

import json
import resource
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, cast

from tensordbg import __version__
from tensordbg.analysis.query import quoted, sql, sql_of_part, sql_of_tables
from tensordbg.analysis.query_limits import Limits
from tensordbg.analysis.query_split import PARTS, Grammar, UndividedError, split
from tensordbg.analysis.query_tree import Node
from tensordbg.analysis.spread import answered
from tensordbg.engines.engine import Engine, Lost
from tensordbg.engines.here import Here
from tensordbg.errors import TraceError
from tensordbg.trace.reader import TraceReader
from tensordbg.trace.schema import TABLES
from tensordbg.trace.selecting import put_together

if TYPE_CHECKING:
    import pyarrow as pa

Question = Callable[[str, TraceReader], "pa.Table"]
"""Asked of the trace of a process, which is named first."""

_FILES = 3 * len(TABLES)
"""A process has a file of each table at least, which the database opens again."""

_LEAST = 4 * 2**20
"""Bytes that the answer of each process may take, of however many."""


def sql_by_engine(engine: Engine, locations: Mapping[str, str], query: str, limits: Limits) -> pa.Table:
    """The answer to one SELECT over the processes of a run.

    Args:
        engine: Whose workers read the traces.
        locations: By the name of each process the folder of its trace, or its address in object storage, as the
            workers are to open it.
        query: As for `sql_of_run`.
        limits: How much each worker may take, and what is computed of their answers here.

    Raises:
        UsageError: If the query is not right or can't be divided, the engine is lost, or it takes more than it may.
        TraceError: If a trace could not be read: no part may be missing.
    """
    if len(locations) == 1:
        return put_together(_asked(engine, locations, partial(_alone, query, limits)), ())
    shown = sql_of_part("", cast(TraceReader, _Nothing()), query)
    both = split(query, _grammar())
    each = replace(limits, answer=max(limits.answer // len(locations), _LEAST))
    parts = put_together(_asked(engine, locations, partial(_part, both.part, each)), ())
    answer = sql_of_tables({"answers": parts}, f"WITH {PARTS} AS ({_with_large_numbers(parts)}) {both.whole}", limits)
    return answer.rename_columns(shown.column_names).cast(shown.schema)


def _with_large_numbers(parts: pa.Table) -> str:
    """A query of all that processes answered; whole numbers of 128 bits, which Arrow lacks, came as decimal ones."""
    decimal = [field.name for field in parts.schema if str(field.type).startswith("decimal128(38, 0")]
    replaced = ", ".join(f"CAST({name} AS HUGEINT) AS {name}" for name in map(_identifier, decimal))
    return f"SELECT * REPLACE ({replaced}) FROM answers" if decimal else "FROM answers"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def sql_of_many(locations: Mapping[str, str], query: str, limits: Limits) -> pa.Table | None:
    """The answer on a run of so many processes that this process may not hold their files open, one after the other.

    Returns:
        None where all files may be open at once, or the query needs that: `sql_of_run` answers it.

    Raises:
        UsageError: If the query is not right, or takes more than it may.
        TraceError: If a trace can't be read.
    """
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY or len(locations) * _FILES < allowed:
        return None
    try:
        return sql_by_engine(Here(), locations, query, limits)
    except UndividedError:
        return None


def _asked(engine: Engine, locations: Mapping[str, str], question: Question) -> list[pa.Table]:
    """The answers of all processes, in their order."""
    answers = engine.map(partial(_answered, question, __version__), list(locations.items()))
    for name, answer in zip(locations, answers, strict=True):
        if isinstance(answer, Lost):
            raise TraceError(
                f"{name}: gave no answer ({answer.reason}); see to it and ask again, or of one process by --process"
            )
    return answers


def _answered(question: Question, version: str, item: tuple[str, str]) -> pa.Table | Lost:
    """Runs on a worker: the answer of one process, given by its name and the location of its trace."""
    name, location = item
    return answered(partial(question, name), version, location)


def _alone(query: str, limits: Limits, _name: str, trace: TraceReader) -> pa.Table:
    return sql(trace, query, limits)


def _part(query: str, limits: Limits, name: str, trace: TraceReader) -> pa.Table:
    return sql_of_part(name, trace, query, limits)


class _Nothing:
    """A trace without a row: what is asked of it tells the names and types of the answer, and what is not right."""

    brought = False
    path = "nowhere"

    def sealed_files(self, _: str) -> tuple[str, ...]:
        return ()

    def raw_tensors(self) -> pa.Table:
        return TABLES["tensors"].empty_table()

    def table(self, name: str) -> pa.Table:
        return TABLES[name].empty_table()


@cache
def _grammar() -> Grammar:
    known = sql_of_tables({}, "SELECT function_name FROM duckdb_functions() WHERE function_type = 'aggregate'")
    return Grammar(_taken_apart, _put_together, frozenset(known.column(0).to_pylist()))


def _taken_apart(query: str) -> Node:
    (tree,) = sql_of_tables({}, f"SELECT json_serialize_sql({quoted(query)})").column(0).to_pylist()
    statement: Node = json.loads(tree)["statements"][0]
    return statement


def _put_together(statement: Node) -> str:
    tree = quoted(json.dumps({"error": False, "statements": [statement]}))
    (query,) = sql_of_tables({}, f"SELECT json_deserialize_sql({tree})").column(0).to_pylist()
    return str(query)
