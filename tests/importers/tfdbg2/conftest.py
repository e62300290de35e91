from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tensordbg.importers.tfdbg2.importing import import_logs
from tensordbg.trace.reader import TraceReader, open_trace
from tests.importers.tfdbg2.logbuilder import LogBuilder

PROGRAM = Path(__file__).with_name("both_ways.py")


class Recordings:
    """What `both_ways.py` recorded; a log is imported when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.native = open_trace(folder / "native")
        self.imported = cache(self._import)

    def log(self, name: str) -> Path:
        return self.folder / name

    def mode(self, mode: str) -> TraceReader:
        return self.imported(f"modes/{mode}")

    def _import(self, name: str) -> TraceReader:
        (imported,) = import_logs(self.folder / name, self.folder / "traces" / name)
        return open_trace(imported.trace)


@pytest.fixture(scope="session")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Recordings:
    folder = tmp_path_factory.mktemp("both_ways")
    environment = {
        **os.environ,
        "CUDA_VISIBLE_DEVICES": "",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "PYTHONPATH": str(PROGRAM.parents[3]),
    }
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(folder)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return Recordings(folder)


@pytest.fixture
def log(tmp_path: Path) -> LogBuilder:
    return LogBuilder(tmp_path / "log")
