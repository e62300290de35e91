"""What tensordbg can't do with a PyTorch program it says in one line, with exit code 2, and leaves nothing behind.

PyTorch itself is not needed to see this: a module of its name stands in for it.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests import programs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "torch.py").write_text("__version__ = '0.0'\n")
    (tmp_path / "torch_program.py").write_text("import sys\nimport torch\nopen('written', 'w').close()\n")
    return tmp_path


def tdbg(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    packages = [str(folder / "packages"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(packages), "TF_CPP_MIN_LOG_LEVEL": "3"}
    return programs.run(
        [programs.TDBG, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
    )


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_dir() and path.name != "__pycache__")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["debug"], "`tdbg debug` can't be used with PyTorch: its observer looks on, and stops no run; stop it at a "),
        (["debug", "-c", "run; why"], "`tdbg debug` can't be used with PyTorch: "),
    ],
)
def test_it_ends_at_the_import(folder: Path, words: list[str], told: str) -> None:
    done = tdbg(folder, *words, "torch_program.py")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"tdbg: error: {told}")
    assert not done.stdout
    assert not (folder / "written").exists()
    assert left(folder) == ["packages"]


def test_a_folder_of_traces_that_was_there_stays(folder: Path) -> None:
    (folder / "tdbg-traces").mkdir()
    assert tdbg(folder, "debug", "-c", "run", "torch_program.py").returncode == 2
    assert left(folder) == ["packages", "tdbg-traces"]
