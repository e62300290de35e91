"""Clusters of several worker processes on this machine, one for all tests of a file."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKERS = 3
"""One is killed where its work goes to another, two where that is given up."""


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
