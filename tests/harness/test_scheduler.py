"""The tests go on where one of them kills its worker, or waits for ever."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONFTEST = """
from tests.scheduler import Scheduler

def pytest_xdist_make_scheduler(config, log):
    return Scheduler(config, log)
"""
DEADLY = """
import os, pytest

@pytest.mark.parametrize("number", range(5))
def test_each(number):
    if number == 3:
        os._exit(3)
"""
HARMLESS = DEADLY.replace("os._exit(3)", "pass")
WAITING = """
import time

def test_waits():
    time.sleep(1000)

def test_does_not():
    pass
"""


def _run(folder: Path, *options: str) -> dict[str, int]:
    """How many tests had each outcome, by what pytest says."""
    (folder / "conftest.py").write_text(CONFTEST)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "xdist", "-p", "pytest_timeout", "-p", "no:cacheprovider"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    outcome = subprocess.run(
        [*command, "-c", os.devnull, "--rootdir", ".", *options, "."],
        check=False,
        cwd=folder,
        env={**environment, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return {word: int(count) for count, word in re.findall(r"(\d+) (passed|failed|errors?)", outcome.stdout)}


def test_a_test_that_kills_its_worker_fails_once(tmp_path: Path) -> None:
    for name, text in zip("abcd", (HARMLESS, DEADLY, HARMLESS, HARMLESS), strict=True):
        (tmp_path / f"test_{name}.py").write_text(text)
    distributed = ("-n", "2", "--dist", "loadfile", "--no-loadscope-reorder")
    assert _run(tmp_path, *distributed) == {"failed": 1, "passed": 19}


def test_one_that_waits_for_ever_fails(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(WAITING)
    assert _run(tmp_path, "-n", "1", "--dist", "loadfile", "--timeout", "2") == {"failed": 1, "passed": 1}
