from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def tdbg(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tensordbg", "build", *words], capture_output=True, check=False, text=True, timeout=500
    )


def test_it_prints_where_its_parts_lie() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
    done = tdbg("torch")
    assert done.returncode == 0, done.stderr
    parts = [Path(line) for line in done.stdout.splitlines()]
    assert [part.stem for part in parts] == [
        "tensordbg_torch_observer",
        "tensordbg_torch_checker",
        "tensordbg_torch_steplog",
    ]
    assert all(part.is_file() for part in parts)


def test_other_frameworks_need_none() -> None:
    done = tdbg("tensorflow")
    assert done.returncode == 2
    assert "tensorflow" in done.stderr
