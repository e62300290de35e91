from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from tensordbg.engines import opened
from tensordbg.engines.here import Here
from tests.cli.conftest import Invoke

QUERY = "select op_type, count(*) as n from events group by op_type order by op_type limit 2"


def test_table(invoke: Invoke) -> None:
    said = invoke("sql", QUERY)
    assert [line.split() for line in said.out.splitlines()] == [["op_type", "n"], ["AddV2", "3"], ["Log", "3"]]


def test_json_and_a_trace_before_the_query(invoke: Invoke) -> None:
    assert invoke("sql", "tdbg-traces", QUERY, "--json").json == (
        [{"op_type": "AddV2", "n": 3}, {"op_type": "Log", "n": 3}]
    )


def test_csv(invoke: Invoke) -> None:
    assert invoke("sql", "--csv", QUERY).out == "op_type,n\nAddV2,3\nLog,3\n"


def test_wrong_query_is_one_line(invoke: Invoke) -> None:
    said = invoke("sql", "select nothing from events")
    assert (said.code, said.out) == (2, "")
    assert len(said.err.splitlines()) == 1
    assert said.err.startswith("tdbg: error: ")
    assert "nothing" in said.err


def test_the_processes_of_a_run(invoke: Invoke, sample_run: Path) -> None:
    query = "select process, count(*) as n from tensors group by process order by process"
    assert invoke("sql", sample_run.name, query, "--csv").out == "process,n\nworker 0,12\nworker 1,12\n"


def test_by_the_workers_of_an_engine(invoke: Invoke, sample_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opened, "opened_engine", lambda _: nullcontext(Here()))
    words = ("--engine", "dask://a:1", "--csv")
    query = "select process, count(*) as n from tensors group by process order by process"
    assert invoke("sql", sample_run.name, query, *words).out == "process,n\nworker 0,12\nworker 1,12\n"
    said = invoke("sql", sample_run.name, "select median(step) from tensors", *words)
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        "tdbg: error: median() can't be divided among workers; ask without --engine, or of one process by --process\n"
    )
    assert invoke("sql", sample_run.name, "select median(step) as m from tensors", *words, "--process", "0").code == 0
