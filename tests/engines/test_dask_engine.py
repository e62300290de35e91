"""Dask on a cluster of several processes, of which some are killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tensordbg.analysis.query import sql_of_run
from tensordbg.analysis.query_limits import Limits
from tensordbg.analysis.query_spread import sql_by_engine
from tensordbg.analysis.spread import why_by_engine
from tensordbg.analysis.why import why_of_run
from tensordbg.engines import dask_engine as module
from tensordbg.engines import waiting
from tensordbg.engines.dask_engine import dask_engine
from tensordbg.engines.engine import Engine, Lost
from tensordbg.errors import UsageError
from tensordbg.trace.folders.runs import find_run
from tensordbg.trace.reader import open_trace
from tests.engines.dying import LosingOne, deadly, doubled, refused

# The library's own affair.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:distributed.*", "ignore::ResourceWarning")


@pytest.fixture
def engine(dask_cluster: str) -> Iterator[Engine]:
    with dask_engine(dask_cluster) as engine:
        yield engine


def test_answers_come_in_the_order_of_the_items(engine: Engine) -> None:
    assert engine.map(doubled, range(5)) == [0, 2, 4, 6, 8]
    assert engine.map(doubled, []) == []


def test_what_the_function_raises_is_raised(engine: Engine) -> None:
    with pytest.raises(LookupError, match="no 3"):
        engine.map(refused, [3])


def test_a_command_says_the_same_with_and_without(dask_cluster: str, sample_run: Path) -> None:
    command = [sys.executable, "-m", "tensordbg", "why", str(sample_run)]
    here, there = (
        subprocess.run([*command, *words], capture_output=True, check=True, text=True)
        for words in ((), ("--engine", f"dask://{dask_cluster}"))
    )
    assert there.stdout == here.stdout
    assert there.stderr == ""


def test_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REACHED", 0.5)
    with (
        pytest.raises(UsageError, match=r"^dask://127\.0\.0\.1:1: no scheduler of Dask answers there"),
        dask_engine("127.0.0.1:1"),
    ):
        pass


def test_dask_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(UsageError, match=r"Dask is not installed .*`pip install 'tensordbg\[dask\]'`"),
        dask_engine("a:1"),
    ):
        pass


def test_the_answer_is_the_same_where_a_worker_is_killed(engine: Engine, sample_run: Path, tmp_path: Path) -> None:
    folders = {process.name: process.folder for process in find_run(sample_run).processes}
    mark = tmp_path / "mark"
    mark.touch()
    answer = why_by_engine(LosingOne(engine, mark), {name: str(folder) for name, folder in folders.items()})
    assert not mark.exists()
    assert answer.result == why_of_run({name: open_trace(folder) for name, folder in folders.items()})
    assert not answer.unread


def test_a_query_is_answered_the_same_where_a_worker_is_killed(
    engine: Engine, sample_run: Path, tmp_path: Path
) -> None:
    folders = {process.name: process.folder for process in find_run(sample_run).processes}
    mark = tmp_path / "mark"
    mark.touch()
    query = "select op_type, count(*) as n, count(distinct process) from events group by op_type order by all"
    answer = sql_by_engine(
        LosingOne(engine, mark), {name: str(folder) for name, folder in folders.items()}, query, Limits()
    )
    assert not mark.exists()
    assert answer == sql_of_run({name: open_trace(folder) for name, folder in folders.items()}, query)


def test_who_kills_one_worker_after_the_other_is_lost(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert engine.map(deadly, [1]) == [Lost("the workers that read it died, one after the other")]
    # Nobody is left now.
    monkeypatch.setattr(waiting, "_LOOK", 0.1)
    monkeypatch.setattr(waiting, "_ALONE", 0.2)
    with pytest.raises(UsageError, match="has no workers; start some with `dask worker`"):
        engine.map(doubled, [1])
