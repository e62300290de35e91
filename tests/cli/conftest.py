"""What the tests of the command line share: running `tdbg` as people do, in a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Tdbg = Callable[..., "subprocess.CompletedProcess[str]"]

COMMAND = [sys.executable, "-m", "tensordbg"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the commands run."""
    return tmp_path


@pytest.fixture
def tdbg(folder: Path) -> Tdbg:
    """Runs `tdbg WORDS...` to its end."""

    def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *words],
            cwd=folder,
            env={**os.environ, **environment},
            capture_output=True,
            check=False,
            text=True,
            timeout=120,
        )

    return run


@pytest.fixture
def program(folder: Path) -> Callable[[str], str]:
    """Writes a program into the folder and gives its name."""

    def write(text: str, name: str = "program.py") -> str:
        (folder / name).write_text(text)
        return name

    return write


def error_of(done: subprocess.CompletedProcess[str]) -> str:
    """The one line on standard error of a command that was refused with exit code 2."""
    assert done.returncode == 2, done
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0].removeprefix("tdbg: error: ")
