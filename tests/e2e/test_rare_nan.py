"""The example of the manual's page on the one bad step."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tensordbg.capture.reader import list_captures, open_capture
from tests import programs

EXAMPLE = Path(__file__).parents[2] / "examples" / "rare_nan.py"


def trap(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return programs.run(
        [sys.executable, "-m", "tensordbg", "trap", *words],
        cwd=folder,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_goes_wrong_after_hundreds_of_steps_and_is_explained(tmp_path: Path) -> None:
    done = trap(tmp_path, str(EXAMPLE))
    assert done.returncode == 3, done.stderr
    (path,) = list_captures(tmp_path / "captures")
    header = open_capture(path).header
    assert header.step >= 50  # which one it is depends on how the processor rounds
    assert "cause   infinite_gradient: In the backward pass" in done.stderr
    assert "the step went wrong again" in done.stderr


def test_the_fixed_one_does_not(tmp_path: Path) -> None:
    done = trap(tmp_path, str(EXAMPLE), "--fixed")
    assert done.returncode == 0, done.stderr
    assert list_captures(tmp_path / "captures") == []
