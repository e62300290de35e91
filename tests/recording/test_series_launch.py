from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_what_is_no_capture_is_one_error(tmp_path: Path) -> None:
    launcher = [sys.executable, "-m", "tensordbg.recording.series_launch", str(tmp_path)]
    done = subprocess.run(launcher, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("tdbg: error: ")
    assert done.stderr.count("\n") == 1
