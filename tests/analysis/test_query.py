from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

from tensordbg.analysis import query as module
from tensordbg.analysis.query import one_database, sql, sql_of_run
from tensordbg.analysis.query_limits import Limits
from tensordbg.errors import TraceError, UsageError
from tensordbg.trace.reader import TraceReader, open_trace
from tensordbg.trace.schema import TABLES
from tensordbg.trace.sealed.seal import seal_all, seal_full_segments
from tests.sample_trace import TENSOR_EVENTS, make_sample_trace
from tests.trace.builder import TraceBuilder
from tests.trace.samples import eventful_trace

STATES: list[Callable[[Path], Any]] = [lambda trace: None, seal_full_segments, seal_all]


@pytest.fixture(params=STATES, ids=["raw", "partly sealed", "sealed"])
def trace(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    trace = eventful_trace(tmp_path / "it's [odd] *" / "trace").finish()
    request.param(trace)
    return trace


def ask(trace: Path, query: str) -> list[dict[str, Any]]:
    return sql(open_trace(trace), query).to_pylist()


@pytest.mark.parametrize("name", TABLES)
def test_every_table_is_there_in_full(trace: Path, name: str) -> None:
    reader = open_trace(trace)
    found = sql(reader, f"SELECT * FROM {name}")
    assert found.column_names == TABLES[name].names
    assert len(found) == reader.count(name)


def test_events_bear_names_and_the_users_line(trace: Path) -> None:
    found = ask(
        trace, "SELECT event, tensor, name, op_type, function, path_name, file, line FROM events ORDER BY event"
    )
    assert [row["event"] for row in found] == list(range(34))
    assert found[2] == {
        "event": 2,
        "tensor": "Log:0",
        "name": "Log",
        "op_type": "Log",
        "function": "train",
        "path_name": "",
        "file": "/code/train.py",
        "line": 3,
    }
    eager = next(row for row in found if row["op_type"] == "AddV2")
    assert (eager["tensor"], eager["function"], eager["line"]) == ("Add:1", None, 8)


@pytest.mark.parametrize(("condition", "rows"), [("isnan(max)", 24), ("max < 1e300", 9), ("max > 1e300", 24)])
def test_numbers_that_are_nan_are_found_wherever_they_lie(trace: Path, condition: str, rows: int) -> None:
    assert len(ask(trace, f"SELECT event FROM tensors WHERE {condition}")) == rows


def test_finds_what_is_not_finite(trace: Path) -> None:
    found = ask(trace, "SELECT tensor, count(*) AS times FROM events WHERE nan > 0 GROUP BY tensor")
    assert found == [{"tensor": "Log:0", "times": 6}]


def test_lists_can_be_taken_apart(trace: Path) -> None:
    found = ask(trace, "SELECT execution, unnest(inputs) >> 16 AS maker FROM executions WHERE execution = 2")
    assert [row["maker"] for row in found] == [1, -1]


def test_questions_of_several_forms(trace: Path) -> None:
    assert ask(trace, "WITH a AS (SELECT 1 AS b) SELECT b FROM a;") == [{"b": 1}]
    assert ask(trace, "SHOW TABLES")
    assert {row["column_name"] for row in ask(trace, "DESCRIBE events")} > {"tensor", "line", "nan"}


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            "SELECT * FROM foo",
            r"no answer to the query \(Catalog Error: .*foo does not exist.*\); it may use the tables",
        ),
        ("SELECT foo FROM tensors", r"no answer to the query \(Binder Error: .*\"foo\" not found.*\); it may use"),
        ("SELEC", r"no answer to the query \(Parser Error: .*\); it may use the tables edges, events, executions, "),
        ("SELECT 1/'a'", r"no answer to the query \(.*\); it may use"),
        ("", r"^the query '' is not one SELECT; a trace is only read: ask one SELECT$"),
        ("SELECT 1; SELECT 2", "is not one SELECT"),
        ("DROP VIEW tensors", "is not one SELECT"),
        ("SET enable_external_access = true", "is not one SELECT"),
        ("EXPLAIN SELECT 1", "is not one SELECT"),
        ("INSTALL httpfs", "is not one SELECT"),
    ],
)
def test_errors_are_one_line(trace: Path, query: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        ask(trace, query)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('{outside}')",
        "SELECT * FROM '{outside}'",
        "SELECT * FROM glob('{folder}/*')",
        "SELECT * FROM read_text('{outside}')",
        "COPY tensors TO '{folder}/new.csv'",
        "COPY (SELECT 1) TO '{trace}/new.csv'",
        "ATTACH '{folder}/new.db'",
        "EXPORT DATABASE '{folder}/new'",
        "EXPLAIN ANALYZE COPY (SELECT 1) TO '{trace}/new.csv'",
    ],
)
def test_nothing_outside_is_read_and_nothing_is_written(tmp_path: Path, query: str) -> None:
    trace = eventful_trace(tmp_path / "trace").finish()
    seal_all(trace)
    outside = tmp_path / "outside.csv"
    outside.write_text("a\n1\n")
    before = sorted(os.walk(tmp_path))
    with pytest.raises(UsageError):
        ask(trace, query.format(outside=outside, folder=tmp_path, trace=trace))
    assert sorted(os.walk(tmp_path)) == before


def test_variables_of_the_program_are_not_tables(trace: Path) -> None:
    secret = open_trace(trace).table("paths")
    with pytest.raises(UsageError, match="secret does not exist"):
        ask(trace, "SELECT * FROM secret")
    assert len(secret)


def test_empty_trace(tmp_path: Path) -> None:
    trace = TraceBuilder(tmp_path / "trace").finish()
    assert ask(trace, "SELECT count(*) AS n FROM events") == [{"n": 0}]
    seal_all(trace)
    assert ask(trace, "SELECT count(*) AS n FROM events") == [{"n": 0}]


@pytest.mark.parametrize("change", [lambda data: b"nothing", lambda data: data[:4] + bytes(900) + data[904:]])
def test_damaged_trace(tmp_path: Path, change: Callable[[bytes], bytes]) -> None:
    trace = eventful_trace(tmp_path / "trace").finish()
    seal_all(trace)
    path = trace / "tensors-000000.parquet"
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(TraceError) as caught:
        ask(trace, "SELECT * FROM tensors")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", [*TABLES, "events"])
def test_tables_of_a_run_say_which_process(run_readers: dict[str, TraceReader], name: str) -> None:
    first, second = (sql(reader, f"SELECT * FROM {name}") for reader in run_readers.values())
    both = sql_of_run(run_readers, f"SELECT * FROM {name}")
    assert both.column_names == ["process", *first.column_names]
    assert len(both) == len(first) + len(second)


def test_processes_of_a_run_are_told_apart(run_readers: dict[str, TraceReader]) -> None:
    for reader in run_readers.values():
        seal_all(reader.path)
    answer = sql_of_run(run_readers, "SELECT process, count(DISTINCT name) AS names, count(*) AS n FROM events "
                                     "WHERE op_type IS NOT NULL GROUP BY process ORDER BY process")  # fmt: skip
    assert answer.to_pylist() == [
        {"process": "worker 0", "names": 4, "n": TENSOR_EVENTS},
        {"process": "worker 1", "names": 4, "n": TENSOR_EVENTS},
    ]


def test_a_run_is_only_read(run_readers: dict[str, TraceReader], tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        sql_of_run(run_readers, f"SELECT * FROM read_csv('{tmp_path}/x.csv')")


def test_a_query_that_takes_too_long_is_given_up(sample_reader: TraceReader) -> None:
    endless = "select count(*) from range(1000000) a, range(1000000) b where a.range % 7 = b.range % 5"
    with pytest.raises(UsageError, match=r"^the query took longer than 0\.3 seconds; ask for less, or allow more"):
        sql(sample_reader, endless, Limits(seconds=0.3))


def test_an_answer_that_is_too_large_is_refused(sample_reader: TraceReader) -> None:
    with pytest.raises(UsageError, match=r"^the answer takes more than 1,000,000 bytes; add a LIMIT"):
        sql(sample_reader, "select * from range(100000000000)", Limits(answer=1_000_000))


def test_memory_that_a_query_may_not_have(sample_reader: TraceReader, tmp_path: Path) -> None:
    greedy = "select list(range) from range(1000000000)"
    with pytest.raises(UsageError, match="no answer to the query"):
        sql(sample_reader, greedy, Limits(memory=50_000_000))


def test_limits_can_not_be_lifted(sample_reader: TraceReader) -> None:
    with pytest.raises(UsageError, match="is not one SELECT"):
        sql(sample_reader, "set memory_limit = '1TB'", Limits())
    assert sql(sample_reader, "select count(*) as n from events", Limits()).to_pylist() == [{"n": 12}]


def test_what_was_checked_is_what_is_read(tmp_path: Path) -> None:
    """Another file in the place of one, put there once it was checked, is not read."""
    trace = make_sample_trace(tmp_path / "trace")
    seal_all(trace)
    reader = open_trace(trace)
    assert all(Path(name).exists() for table in TABLES for name in reader.sealed_files(table))
    for path in trace.glob("*.parquet"):
        path.rename(tmp_path / path.name)
        path.symlink_to("/etc/passwd")
    (trace / "other.parquet").write_bytes((tmp_path / "sites.parquet").read_bytes())
    assert sql(reader, "SELECT count(*) AS n FROM events").to_pylist() == [{"n": TENSOR_EVENTS}]
    assert reader.matching(pc.field("site") >= 0, ["site"]).num_rows == TENSOR_EVENTS
    with pytest.raises(UsageError, match="no answer to the query"):
        sql(reader, f"SELECT * FROM read_parquet('{trace}/other.parquet')")


COUNT = "SELECT count(*) AS n FROM tensors"


@pytest.fixture
def set_up(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The databases that are set up, one after the other."""
    found: list[object] = []
    connect = module.duckdb.connect

    def counting(**named: Any) -> Any:
        found.append(connect(**named))
        return found[-1]

    monkeypatch.setattr(module.duckdb, "connect", counting)
    return found


def test_a_block_asks_one_database(trace: Path, set_up: list[object]) -> None:
    reader, other = open_trace(trace), open_trace(trace)
    expected = sql(reader, COUNT).to_pylist()
    set_up.clear()
    with one_database({"": reader}):
        assert sql(reader, COUNT).to_pylist() == expected
        with one_database({"under any name": reader}):
            assert sql(reader, COUNT).to_pylist() == expected
        with pytest.raises(UsageError, match="no answer to the query"):
            sql(reader, "SELECT nothing FROM tensors")
        with pytest.raises(UsageError, match="is not one SELECT"):
            sql(reader, "DROP TABLE tensors")
        assert sql_of_run({"": reader}, COUNT).to_pylist() == expected
        assert len(set_up) == 1
        # Another trace, and a query of the user, have one of their own.
        assert sql(other, COUNT).to_pylist() == sql(reader, COUNT, Limits()).to_pylist() == expected
        assert len(set_up) == 3
    with pytest.raises(module.duckdb.ConnectionException):
        set_up[0].execute("SELECT 1")  # type: ignore[attr-defined]
    assert sql(reader, COUNT).to_pylist() == expected
    assert len(set_up) == 4


def test_a_block_about_several_processes_asks_one_database(tmp_path: Path, set_up: list[object]) -> None:
    processes = {name: open_trace(make_sample_trace(tmp_path / name)) for name in ("chief", "worker-1")}
    query = "SELECT process, count(*) AS n FROM tensors GROUP BY ALL ORDER BY process"
    with one_database(processes):
        found = [sql_of_run(processes, query).to_pylist() for _ in range(2)]
        assert sql(processes["chief"], COUNT).to_pylist() == [{"n": TENSOR_EVENTS}]
    assert found == [[{"process": name, "n": TENSOR_EVENTS} for name in processes]] * 2
    assert len(set_up) == 2


def test_a_damaged_trace_is_told_in_a_block_too(tmp_path: Path) -> None:
    trace = make_sample_trace(tmp_path / "trace")
    seal_all(trace)
    reader = open_trace(trace)
    for part in trace.glob("tensors*.parquet"):
        part.write_bytes(b"PAR1" * 10)
    with one_database({"": reader}), pytest.raises(TraceError, match="from a copy, or record again"):
        sql(reader, COUNT)


def test_too_many_files_are_told_as_such(trace: Path) -> None:
    reader = open_trace(trace)
    told = module._damaged({"a": reader, "b": reader}, module.duckdb.IOException("Too many open files"))
    assert str(told) == (
        "the query needs more files of 2 processes at once than this process may open; ask of fewer by --process, or "
        "allow more by `ulimit -n`"
    )


def test_of_many_processes_a_few_are_named_where_one_is_damaged(trace: Path) -> None:
    reader = open_trace(trace)
    told = module._damaged(dict.fromkeys("abcde", reader), module.duckdb.IOException("torn"))
    assert str(told) == (
        f"{trace}, {trace}, {trace} or 2 more: can't be read (torn); restore it from a copy, or record again"
    )
