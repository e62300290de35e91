"""What the tests of the command line share: running `tdbg` as people do, in a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tensordbg.cli import main

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


@dataclass(frozen=True)
class Said:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The output as JSON."""
        assert self.code == 0, self
        return json.loads(self.out)


Invoke = Callable[..., Said]


@pytest.fixture
def invoke(sample: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Invoke:
    """Runs `tdbg WORDS...` in this process, in the folder that holds the sample trace in `tdbg-traces`."""
    monkeypatch.chdir(sample.parents[1])

    def run(*words: str) -> Said:
        with pytest.raises(SystemExit) as ended:
            main(words)
        printed = capsys.readouterr()
        return Said(int(ended.value.code or 0), printed.out, printed.err)

    return run


def error_of(done: subprocess.CompletedProcess[str]) -> str:
    """The one line on standard error of a command that was refused with exit code 2."""
    assert done.returncode == 2, done
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0].removeprefix("tdbg: error: ")
