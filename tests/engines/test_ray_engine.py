"""Ray on a cluster of several processes, of which some are killed."""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tensordbg.analysis.query import sql_of_run
from tensordbg.analysis.query_limits import Limits
from tensordbg.analysis.query_spread import sql_by_engine
from tensordbg.analysis.spread import why_by_engine
from tensordbg.analysis.why import why_of_run
from tensordbg.engines import ray_engine as module
from tensordbg.engines import waiting
from tensordbg.engines.engine import Engine, Lost
from tensordbg.engines.ray_engine import ray_engine
from tensordbg.errors import UsageError
from tensordbg.trace.folders.runs import find_run
from tensordbg.trace.reader import open_trace
from tests.engines.dying import LosingOne, deadly, doubled, refused

# The library's own affair.
pytestmark = pytest.mark.filterwarnings("ignore:::ray.*", "ignore::FutureWarning", "ignore::ResourceWarning")


@pytest.fixture(scope="module")
def engine(ray_cluster: str) -> Iterator[Engine]:
    with ray_engine(ray_cluster) as engine:
        yield engine


def test_answers_come_in_the_order_of_the_items(engine: Engine) -> None:
    assert engine.map(doubled, range(5)) == [0, 2, 4, 6, 8]
    assert engine.map(doubled, []) == []


def test_what_the_function_raises_is_raised(engine: Engine) -> None:
    with pytest.raises(LookupError, match="no 3"):
        engine.map(refused, [3])


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


def test_who_kills_one_worker_after_the_other_is_lost_and_the_others_are_answered(engine: Engine) -> None:
    assert engine.map(deadly, [0, 1]) == [0, Lost("the workers that read it died, one after the other")]


def test_a_command_says_the_same_with_and_without(ray_cluster: str, sample_run: Path) -> None:
    command = [sys.executable, "-m", "tensordbg", "why", str(sample_run)]
    here, there = (
        subprocess.run([*command, *words], capture_output=True, check=True, text=True)
        for words in ((), ("--engine", f"ray://{ray_cluster}"))
    )
    assert there.stdout == here.stdout
    assert there.stderr == ""


def test_a_worker_without_tensordbg_says_so(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> Any:
        return lambda function, item: __import__("tensordbg_of_elsewhere")

    monkeypatch.setattr(module, "_task", absent)
    with pytest.raises(
        UsageError, match=r"a worker lacks what it is to run \(No module named 'tensordbg_of_elsewhere'\)"
    ):
        engine.map(doubled, [1])


def test_nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REACHED", 0.5)
    with (
        pytest.raises(UsageError, match=r"^ray://127\.0\.0\.1:1: no server for Ray's clients answers there"),
        ray_engine("127.0.0.1:1"),
    ):
        pass


def test_ray_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        pytest.raises(UsageError, match=r"Ray is not installed .*`pip install 'tensordbg\[ray\]'`"),
        ray_engine("a:1"),
    ):
        pass


class Refusing:
    """A server that answers and does not do what it is for."""

    def __init__(self, error: Exception) -> None:
        self._error = error
        self.asked = 0

    def init(self, *_: Any, **__: Any) -> None:
        self.asked += 1
        warnings.warn("See the manual of Ray", stacklevel=1)
        raise self._error


@pytest.mark.parametrize(
    ("error", "asked", "said"),
    [
        (
            ConnectionAbortedError("no server"),
            3,
            r"can't start \(ConnectionAbortedError: no server\); see .* of the head",
        ),
        (ConnectionError("timeout"), 1, "no server for Ray's clients answers there"),
        (RuntimeError("other Python"), 1, "takes no client .*; install the cluster's versions of Python and Ray here"),
    ],
)
def test_who_is_refused_is_told_what_to_do(
    error: Exception, asked: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Refusing(error)
    monkeypatch.setitem(sys.modules, "ray", server)
    monkeypatch.setattr(module, "_PAUSES", (0.0, 0.0))
    monkeypatch.setattr(module.socket, "create_connection", lambda *_, **__: SimpleNamespace(close=lambda: None))
    with pytest.raises(UsageError, match=said), ray_engine("a:1"):
        pass
    assert server.asked == asked


class Idle:
    """A cluster that has no machine but its head, or is lost while it is asked."""

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error

    def remote(self, _: Any) -> Any:
        return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=lambda *_: "later"))

    def put(self, value: Any) -> Any:
        return value

    def wait(self, answers: list[Any], **_: Any) -> tuple[list[Any], list[Any]]:
        if self._error is not None:
            raise self._error
        return [], answers

    def nodes(self) -> list[dict[str, Any]]:
        return [{"Alive": True, "Resources": {}}, {"Alive": False, "Resources": {"CPU": 1.0}}]


@pytest.mark.parametrize(
    ("cluster", "said"),
    [
        (Idle(), "ray://a:1: has no machine that takes work; start one"),
        (Idle(ConnectionError("gone")), r"ray://a:1: the cluster was lost \(ConnectionError: gone\)"),
    ],
)
def test_a_cluster_that_can_not_answer_is_given_up(cluster: Idle, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_ALONE", -1.0)
    with pytest.raises(UsageError, match=said):
        module._Ray(cluster, "ray://a:1").map(doubled, [1])
