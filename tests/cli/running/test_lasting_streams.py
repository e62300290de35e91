"""The program's exit code comes through, whoever takes what we say of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FAILING = "import sys\nprint('out')\nsys.exit(7)\n"
COMMANDS = ("run", "run --check", "trap")
TARGETS = ("2>/dev/full", "2>&-", "2>&1 | true", ">/dev/null 2>/dev/full", "2>&1 | head -0")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("command", COMMANDS)
def test_the_exit_code_is_the_programs(command: str, target: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(FAILING.replace("print('out')\n", ""))
    script = f'"$0" -m tensordbg {command} program.py {target}; exit ${{PIPESTATUS[0]}}'
    assert subprocess.run(["bash", "-c", script, sys.executable], cwd=tmp_path, check=False).returncode == 7


def test_what_can_be_written_is_written(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(FAILING)
    command = [sys.executable, "-m", "tensordbg", "run", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (7, "out\n")
    assert done.stderr == "tdbg: nothing was recorded: the program did not import TensorFlow or PyTorch\n"
