"""Clusters of several worker processes on this machine, one for all tests of a file."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKERS = 4
"""One is killed in each of two tests where its work goes to another, two where that is given up."""


def started(stack: ExitStack, log: Path, *words: str) -> None:
    """Starts `dask WORDS...`, which ends with the stack and finds what workers run in the tests."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
    file = stack.enter_context(log.open("w"))
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *words, "--no-dashboard"],
        cwd=log.parent,
        env=environment,
        stdout=file,
        stderr=subprocess.STDOUT,
    )
    stack.callback(process.wait)
    stack.callback(process.kill)


def place_in(log: Path) -> str:
    """Where the scheduler says that it listens."""
    for _ in range(600):
        found = re.search(r"tcp://([\d.]+:\d+)", log.read_text())
        if found:
            return found[1]
        time.sleep(0.1)
    raise AssertionError(log.read_text())


@pytest.fixture(scope="module")
def dask_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of its scheduler, `HOST:PORT`."""
    pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("dask")
    with ExitStack() as stack:
        started(stack, folder / "scheduler.log", "scheduler", "--host", "127.0.0.1", "--port", "0")
        place = place_in(folder / "scheduler.log")
        for number in range(WORKERS):
            # Without one who starts them again.
            worker = ("worker", f"tcp://{place}", "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1")
            started(stack, folder / f"worker-{number}.log", *worker)
        yield place


@pytest.fixture(scope="module")
def ray_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the server for clients of a cluster of three machines listens, `HOST:PORT`; the head takes no work."""
    pytest.importorskip("ray")
    with ExitStack() as stack:
        yield ray_machines(stack)


def ray_machines(stack: ExitStack) -> str:
    """Starts such a cluster, which ends with the stack; its workers have the environment of now."""
    # Names of sockets may have a hundred letters.
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ray-")))
    head, clients = free_port(), free_port()
    server = ("--ray-client-server-port", str(clients), "--include-dashboard", "false", "--temp-dir", str(folder))
    ray_started(stack, folder / "head.log", "--head", "--port", str(head), "--num-cpus", "0", *server)
    for number in range(2):
        ray_started(stack, folder / f"{number}.log", "--address", f"127.0.0.1:{head}", "--num-cpus", "1")
    wait_for(clients)
    return f"127.0.0.1:{clients}"


def ray_started(stack: ExitStack, log: Path, *words: str) -> None:
    """Starts a machine of Ray's by `ray start WORDS...`, which ends with the stack, and all that it started.

    A machine gives up where it has not joined in half a minute, as on a busy processor; it is started again.
    """
    for _ in range(5):
        with ExitStack() as attempt:
            if ray_joined(attempt, log, *words):
                stack.push(attempt.pop_all())
                return
    raise TimeoutError(log.read_text())


def ray_joined(stack: ExitStack, log: Path, *words: str) -> bool:
    """Starts it and waits until it is part of the cluster; whether it is, before it ends or two minutes are over."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "RAY_USAGE_STATS_ENABLED": "0"}
    process = subprocess.Popen(
        [Path(sys.executable).parent / "ray", "start", "--block", "--node-ip-address", "127.0.0.1", *words],
        cwd=log.parent,
        env=environment,
        stdout=stack.enter_context(log.open("w")),
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )

    def end() -> None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    stack.callback(end)
    for _ in range(1200):
        if "Ray runtime started" in log.read_text():
            return True
        if process.poll() is not None:
            return False
        time.sleep(0.1)
    return False


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def wait_for(port: int) -> None:
    """Waits until somebody listens on a port."""
    for _ in range(600):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    message = f"nobody listens on {port}"
    raise TimeoutError(message)
