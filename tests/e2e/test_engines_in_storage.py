"""Workers of a cluster that read traces in object storage, from a real server; one of them is killed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tensordbg.analysis.query import sql_of_run
from tensordbg.analysis.query_limits import Limits
from tensordbg.analysis.query_spread import sql_by_engine
from tensordbg.analysis.spread import why_by_engine
from tensordbg.analysis.why import why_of_run
from tensordbg.engines.engine import Engine
from tensordbg.engines.opened import opened_engine
from tensordbg.remote.storage import Storage
from tensordbg.remote.uploading import Uploading
from tensordbg.trace.reader import open_trace
from tensordbg.trace.sealed.seal import seal_all
from tests.engines.conftest import place_in, ray_machines, started
from tests.engines.dying import LosingOne
from tests.remote.object_storage import BUCKET, Server, s3_server
from tests.sample_run import WORKERS, make_sample_run

# The library's own affair.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:distributed.*", "ignore::ResourceWarning")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An S3 server that this process and those that it starts are told of."""
    with s3_server(tmp_path_factory.mktemp("s3")) as server, pytest.MonkeyPatch.context() as patch:
        for name, value in server.variables.items():
            patch.setenv(name, value)
        yield server


@pytest.fixture(scope="module")
def run(server: Server, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The traces of a run on the disk, by the name of the process; they are in the bucket too."""
    folder = make_sample_run(tmp_path_factory.mktemp("run"))
    for trace in folder.iterdir():
        seal_all(trace)
    Uploading(folder, Storage(f"s3://{BUCKET}/run")).finish()
    return {name: folder / f"trace-{number}" for number, name in enumerate(WORKERS)}


@pytest.fixture(scope="module")
def stored(run: dict[str, Path]) -> dict[str, str]:
    """Their addresses in the bucket."""
    return {name: f"s3://{BUCKET}/run/{trace.name}" for name, trace in run.items()}


@pytest.fixture(scope="module", params=["dask", "ray"])
def address(request: pytest.FixtureRequest, server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A cluster whose workers know of the server."""
    if request.param == "ray":
        pytest.importorskip("ray")
        with ExitStack() as stack:
            yield f"ray://{ray_machines(stack)}"
        return
    pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("dask")
    with ExitStack() as stack:
        started(stack, folder / "scheduler.log", "scheduler", "--host", "127.0.0.1", "--port", "0")
        place = place_in(folder / "scheduler.log")
        for number in range(3):
            worker = ("worker", f"tcp://{place}", "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1")
            started(stack, folder / f"worker-{number}.log", *worker)
        yield f"dask://{place}"


DASK_ALONE = pytest.mark.parametrize("address", ["dask"], indirect=True)
"""What goes through an engine is the same for all of them; that each reaches storage is shown by `why`."""


@pytest.fixture
def engine(address: str) -> Iterator[Engine]:
    with opened_engine(address) as engine:
        yield engine


def test_why_is_that_of_the_same_run_on_the_disk(
    engine: Engine, run: dict[str, Path], stored: dict[str, str], tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    mark.touch()
    answer = why_by_engine(LosingOne(engine, mark), stored)
    assert not mark.exists()
    assert not answer.unread
    assert answer.result == why_of_run({name: open_trace(folder) for name, folder in run.items()})


@DASK_ALONE
def test_a_query_is_answered_as_on_the_disk(engine: Engine, run: dict[str, Path], stored: dict[str, str]) -> None:
    query = "select process, op_type, count(*), max(step) from events where nan > 0 group by all order by all"
    there = sql_by_engine(engine, stored, query, Limits())
    assert there == sql_of_run({name: open_trace(folder) for name, folder in run.items()}, query)


@DASK_ALONE
def test_a_trace_that_storage_lacks_is_named(engine: Engine, stored: dict[str, str]) -> None:
    answer = why_by_engine(engine, {**stored, "worker 2": f"s3://{BUCKET}/run/trace-2"})
    assert list(answer.unread) == ["worker 2"]
    assert answer.unread["worker 2"].startswith(f"s3://{BUCKET}/run/trace-2: ")


@DASK_ALONE
def test_a_command_takes_both_addresses(address: str, stored: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tensordbg", "why", f"s3://{BUCKET}/run", "--engine", address]
    done = subprocess.run(
        command, capture_output=True, check=True, text=True, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    assert "worker 0" in done.stdout
    assert done.stderr == ""
