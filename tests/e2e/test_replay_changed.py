"""`tdbg replay` with the step changed, as people call it, on captures whose program is gone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests import programs
from tests.backends.tensorflow.captured import captures
from tests.cli.conftest import COMMAND


def replay(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [*COMMAND, "replay", *words]
    return programs.run(command, cwd=folder, env=environment, capture_output=True, check=False, text=True)


def squeezed(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def test_double_precision_shows_both_outcomes_and_where_they_part(tmp_path: Path) -> None:
    done = replay(tmp_path, str(captures()["single"]), "--float64")
    assert done.returncode == 0, done.stderr
    lines = squeezed(done.stdout)
    assert "as captured in float64" in lines
    assert "loss 1 +inf 96.69" in lines
    assert any(line.startswith("Exp:0 as captured float32[4, 1] – – 4") for line in lines)
    assert "not computed in float64, as there is no such form of it: FusedBatchNormV3" in done.stderr
    assert "tensors were finite" in done.stderr


def test_a_fix_is_tried_out(tmp_path: Path) -> None:
    done = replay(tmp_path, str(captures()["any_size"]), "--set", "x[7]=1", "--clip", "0.05")
    assert done.returncode == 0, done.stderr
    lines = squeezed(done.stdout)
    assert "as captured set x[7]=1, clip 0.05" in lines
    assert "step wrong clean" in lines
    assert "weights after it not finite: kernel moved by 0.005" in lines
